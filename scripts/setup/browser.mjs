/**
 * The steps for Chromium and its driver: takes what CHROME and CHROMEDRIVER or PATH name, else installs Debian's.
 * `chromePath` and `driverPath` only look, for whoever starts a browser.
 */
import { existsSync } from "node:fs";
import { Failure, ask, which } from "../lib/run.mjs";
import { aptInstall } from "./apt.mjs";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const applications = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

function named(variable) {
  const path = process.env[variable];
  if (path && !existsSync(path)) throw new Failure(`${variable} names ${path}, which does not exist`, `unset ${variable}, or set it to a program`);
  return path || null;
}

/** The browser's path, or null. */
export const chromePath = () => named("CHROME") ?? names.map(which).find(Boolean) ?? applications.find(existsSync) ?? null;

/** The driver's path, or null. */
export const driverPath = () => named("CHROMEDRIVER") ?? which("chromedriver");

const version = (path) => ask(path, ["--version"])?.split("\n")[0] ?? null;

function elsewhere(what, variable) {
  if (process.platform === "linux") return;
  throw new Failure(`no ${what} found`, `install it (Homebrew has both Chrome and chromedriver), or set ${variable} to its path`);
}

export const browserStep = {
  title: "Chromium",
  done() {
    const path = chromePath();
    return path && `${path}`;
  },
  async run() {
    elsewhere("Chrome or Chromium", "CHROME");
    console.log("    installing Debian's, with fonts to render text (a minute, once)");
    await aptInstall(["chromium", "chromium-driver", "fonts-liberation", "fonts-noto-color-emoji"], "Chromium");
    return version(chromePath());
  },
  verify: () => (chromePath() && version(chromePath()) ? null : "no Chromium that runs was found afterwards"),
};

export const driverStep = {
  title: "ChromeDriver",
  done() {
    const path = driverPath();
    return path && `${path}`;
  },
  async run() {
    elsewhere("chromedriver", "CHROMEDRIVER");
    await aptInstall(["chromium-driver"], "ChromeDriver");
    return version(driverPath());
  },
  verify: () => (driverPath() && version(driverPath()) ? null : "no chromedriver that runs was found afterwards"),
};
