/**
 * Which wire the assistant speaks over, as the page's address says: the engine's own API, or with `?transport=ag-ui`
 * AG-UI. All else of the page is the same over both and asks nobody which it is.
 */
const agent = "tea-room";

/** The options of a runtime that this choice makes. */
export function wireOf(search, engine) {
  if (new URLSearchParams(search).get("transport") !== "ag-ui") return { transport: "native", engine, agent };
  return { transport: "ag-ui", engine: new URL(`/api/channels/ag-ui/agents/${agent}/run`, new URL(engine, location.href)) };
}

/** Marks the wire in use among the links that lead to each. */
export function markWire(links, transport) {
  for (const link of links) {
    if (link.dataset.transport === transport) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
