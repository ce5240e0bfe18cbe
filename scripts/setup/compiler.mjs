/**
 * The steps for the host's compilers: cargo links with `cc`, and the fuzz targets build C++.
 * On Debian they are installed; elsewhere the failure names what is missing.
 */
import { which } from "../lib/run.mjs";
import { aptInstall } from "./apt.mjs";

const compilerStep = (program, title, packages) => ({
  title,
  done: () => which(program) && "is there",
  run: () => aptInstall(packages, title),
  verify: () => (which(program) ? null : `there is still no \`${program}\``),
});

export const linkerStep = compilerStep("cc", "C compiler", ["gcc", "libc6-dev"]);
export const plusStep = compilerStep("c++", "C++ compiler", ["g++"]);
