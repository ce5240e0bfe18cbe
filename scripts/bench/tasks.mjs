/**
 * How long each task of a page took, by Chromium's own trace: its time on the processor, so that what another process
 * takes from the page does not count. It watches every renderer and gives the tasks of the busiest.
 */

/** Traces while `work` runs. Resolves to what that gave, and the milliseconds of each task, longest first. */
export async function tracingTasks(context, work) {
  const session = await context.browser().newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel"] } });
  const found = await work();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const busy = new Map();
  const threads = events.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain");
  for (const { pid, tid } of threads) busy.set(`${pid} ${tid}`, []);
  for (const { name, ph, pid, tid, dur, tdur } of events) {
    // A clock of the processor that was read late may say more than the wall's.
    if (ph === "X" && name === "ThreadControllerImpl::RunTask") busy.get(`${pid} ${tid}`)?.push(Math.min(dur, tdur ?? dur) / 1000);
  }
  const sum = (tasks) => tasks.reduce((total, task) => total + task, 0);
  const [tasks = []] = [...busy.values()].sort((one, other) => sum(other) - sum(one));
  if (tasks.length === 0) throw new Error("the trace has no task of a page");
  return { found, tasks: tasks.sort((one, other) => other - one) };
}
