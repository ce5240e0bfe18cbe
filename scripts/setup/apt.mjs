/**
 * Installs Debian packages, waiting for another apt rather than failing on its lock.
 * It acts only as root on a machine with apt-get; anywhere else it fails with the command to run by hand.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, ask, job, which } from "../lib/run.mjs";

const lockWaitSeconds = 900;
const environment = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
const locked = /Could not get lock|Unable to lock|is held by process/;

/** The installed version of a Debian package, or null. */
export function installedVersion(name) {
  const answer = ask("dpkg-query", ["-W", "-f", "${db:Status-Status} ${Version}", name]);
  return answer?.startsWith("installed ") ? answer.slice("installed ".length) : null;
}

/** apt itself waits for dpkg's lock, but not for the one on the package lists. */
async function apt(args, advice) {
  const options = ["-o", `DPkg::Lock::Timeout=${lockWaitSeconds}`, "-o", "Dpkg::Use-Pty=0", "-o", "Acquire::Retries=3"];
  const end = Date.now() + lockWaitSeconds * 1000;
  for (;;) {
    try {
      return await job("apt-get", [...options, ...args], { log: `apt-${args[0]}`, env: environment, advice });
    } catch (error) {
      if (!locked.test(error.output ?? "") || Date.now() > end) throw error;
      console.log("    another apt is at work; waiting for it");
      await sleep(5000);
    }
  }
}

/** Installs what is missing of `names`. */
export async function aptInstall(names, why) {
  const missing = names.filter((name) => !installedVersion(name));
  if (missing.length === 0) return;
  const byHand = `apt-get update && apt-get install --no-install-recommends ${missing.join(" ")}`;
  if (!which("apt-get")) throw new Failure(`${why} is missing, and this machine has no apt-get to install it with`, `install what \`${byHand}\` would on Debian 12, by this machine's own means`);
  if (process.getuid?.() !== 0) throw new Failure(`${why} is missing, and installing it needs root`, `run \`sudo sh -c '${byHand}'\`, then this command again`);
  await apt(["update"], "see whether this machine reaches its Debian archive (`apt-get update`)");
  await apt(["install", "-y", "--no-install-recommends", ...missing], `run \`${byHand}\` by hand and look at what it says`);
}
