/**
 * What a page may see without asking anybody: the screen, the language, the time.
 */

/** The screen and the page on it, in CSS pixels. */
export function getScreen(): Record<string, unknown> {
  const matches = (query: string): boolean => matchMedia(query).matches;
  const { orientation } = screen as Partial<Screen>;
  return {
    viewport: { width: innerWidth, height: innerHeight },
    screen: { width: screen.width, height: screen.height, availableWidth: screen.availWidth, availableHeight: screen.availHeight },
    pixelRatio: devicePixelRatio,
    // Old Safari has no orientation of its own.
    orientation: { type: orientation?.type ?? (matches("(orientation: portrait)") ? "portrait" : "landscape"), angle: orientation?.angle ?? 0 },
    colorScheme: matches("(prefers-color-scheme: dark)") ? "dark" : "light",
    reducedMotion: matches("(prefers-reduced-motion: reduce)"),
    moreContrast: matches("(prefers-contrast: more)"),
    pointer: matches("(pointer: coarse)") ? "coarse" : matches("(pointer: fine)") ? "fine" : "none",
    visible: document.visibilityState === "visible",
  };
}

/** Language, formats and time, as the user's browser is set. */
export function getLocale(): Record<string, unknown> {
  const now = new Date();
  const { language = "und", languages = [] } = navigator;
  const { calendar, numberingSystem, timeZone } = new Intl.DateTimeFormat(language).resolvedOptions();
  const { hourCycle } = new Intl.DateTimeFormat(language, { hour: "numeric" }).resolvedOptions();
  return {
    language,
    languages: [...languages],
    pageLanguage: document.documentElement.lang || undefined,
    timeZone,
    calendar,
    numberingSystem,
    hourFormat: hourCycle === "h11" || hourCycle === "h12" ? "12-hour" : "24-hour",
    numberExample: new Intl.NumberFormat(language).format(1_234_567.89),
    dateExample: new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "short" }).format(now),
    localTime: withOffset(now),
    weekday: new Intl.DateTimeFormat("en", { weekday: "long" }).format(now),
  };
}

/** ISO 8601 in the local time zone. */
function withOffset(moment: Date): string {
  const minutes = -moment.getTimezoneOffset();
  const two = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, "0");
  const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  return `${local}${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
