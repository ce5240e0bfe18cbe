/**
 * The look of the dialog: a sheet that is constructed, so that no policy on inline styles can refuse it. It sits
 * inside a shadow root, where the page's rules do not reach; the host keeps what would inherit out, too. Pages change
 * it by custom properties (`--pagehand-…`) and parts.
 */

const LIGHT = "--_back: #ffffff; --_text: #1b1b1f; --_muted: #5a5a66; --_line: #82828f; --_soft: #f1f1f5; --_accent: #1f5fd6; --_on-accent: #ffffff; --_error: #b3161f;";
const DARK = "--_back: #212126; --_text: #f0f0f4; --_muted: #b4b4c0; --_line: #85859a; --_soft: #2d2d34; --_accent: #8ab4ff; --_on-accent: #10182b; --_error: #ff9c94;";

// `all` with `!important` inside a shadow root wins over whatever a page says of the host.
const RULES = `
:host { all: initial !important; display: contents !important; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
dialog { ${LIGHT} color-scheme: light; }
dialog[data-theme=dark] { ${DARK} color-scheme: dark; }
@media (prefers-color-scheme: dark) { dialog[data-theme=auto] { ${DARK} color-scheme: dark; } }
dialog {
  --_b: var(--pagehand-background, var(--_back)); --_t: var(--pagehand-text, var(--_text)); --_m: var(--pagehand-muted, var(--_muted));
  --_l: var(--pagehand-border, var(--_line)); --_a: var(--pagehand-accent, var(--_accent)); --_o: var(--pagehand-on-accent, var(--_on-accent));
  --_e: var(--pagehand-error, var(--_error)); --_r: var(--pagehand-radius, 8px);
  width: min(var(--pagehand-width, 34em), calc(100vw - 2em)); max-height: calc(100vh - 2em); max-height: calc(100dvh - 2em); padding: 0; margin: auto;
  overflow: auto; overscroll-behavior: contain; border: 1px solid var(--_l); border-radius: calc(var(--_r) * 1.5);
  background: var(--_b); color: var(--_t); font: 400 var(--pagehand-font-size, medium)/1.5 var(--pagehand-font, system-ui, sans-serif);
  text-align: start; overflow-wrap: anywhere; box-shadow: 0 12px 48px rgb(0 0 0 / 0.35);
}
dialog::backdrop { background: rgb(0 0 0 / 0.5); }
form { display: grid; gap: 1em; padding: 1.25em; }
h2 { margin: 0; font-size: 1.2em; line-height: 1.3; font-weight: 650; }
h3 { margin: 0; font-size: 1em; font-weight: 600; }
p { margin: 0; }
.message { white-space: pre-line; }
.note, [part~=help] { color: var(--_m); font-size: 0.875em; }
.parts { display: grid; gap: 1em; }
.field { display: grid; gap: 0.25em; min-width: 0; }
.field.boxed { grid-template-columns: auto 1fr; column-gap: 0.6em; align-items: start; }
.boxed > :not(input, [part=label]) { grid-column: 2; }
[part=label], legend { font-weight: 600; }
.boxed > [part=label] { font-weight: 400; }
[part=mark], [part=error] { color: var(--_e); }
[part=error] { font-size: 0.9em; font-weight: 600; }
fieldset { display: grid; gap: 1em; min-width: 0; margin: 0; padding: 0.75em 1em 1em; border: 1px solid var(--_l); border-radius: var(--_r); }
.options { display: grid; gap: 0.35em; }
.option { display: flex; gap: 0.6em; align-items: start; }
.item { display: grid; grid-template-columns: 1fr auto; gap: 0.5em; align-items: end; }
input, textarea, select, button { font: inherit; color: inherit; letter-spacing: inherit; }
input:not([type=checkbox], [type=radio]), textarea, select {
  width: 100%; min-width: 0; min-height: 2.5em; padding: 0.4em 0.6em; border: 1px solid var(--_l); border-radius: var(--_r); background: var(--_b); color: var(--_t);
}
textarea { resize: vertical; }
.json, pre, .value { font-family: ui-monospace, monospace; font-size: 0.875em; }
input[type=checkbox], input[type=radio] { width: 1.15em; height: 1.15em; margin: 0.2em 0 0; flex: none; accent-color: var(--_a); }
[aria-invalid=true] { border-color: var(--_e); outline: 1px solid var(--_e); }
:focus-visible { outline: 3px solid var(--_a); outline-offset: 2px; }
h2:focus-visible { outline: none; }
.summary:focus-visible { outline-offset: 4px; }
button { min-height: 2.5em; padding: 0.4em 1em; border: 1px solid var(--_l); border-radius: var(--_r); background: transparent; color: var(--_t); cursor: pointer; }
button[part~=submit] { border-color: var(--_a); background: var(--_a); color: var(--_o); font-weight: 600; }
button[part~=add] { justify-self: start; }
button[part~=remove] { min-width: 2.5em; padding: 0; }
button:disabled { opacity: 0.55; cursor: default; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75em; justify-content: flex-end; }
.summary { padding: 0.75em 1em; border: 2px solid var(--_e); border-radius: var(--_r); }
.summary ul { margin: 0.25em 0 0; padding-inline-start: 1.25em; }
.summary a { color: var(--_e); }
.arguments { max-height: 40vh; overflow: auto; padding: 0.75em 1em; border-radius: var(--_r); border: 1px solid var(--_l); }
dl { display: grid; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; white-space: pre-wrap; }
dd + dt { margin-block-start: 0.6em; }
.status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) { dialog[open] { animation: in 0.15s ease-out; } @keyframes in { from { opacity: 0; transform: translateY(8px); } } }
@media (forced-colors: active) {
  dialog { --_b: Canvas; --_t: CanvasText; --_m: CanvasText; --_l: CanvasText; --_a: Highlight; --_o: HighlightText; --_e: CanvasText; }
  button[part~=submit] { forced-color-adjust: none; background: Highlight; color: HighlightText; border-color: Highlight; }
  [aria-invalid=true] { outline-style: dashed; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** The sheet, made once. */
export function styles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
  }
  return sheet;
}
