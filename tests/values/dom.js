/**
 * The part of the table of results that needs a page: run by `page.js` in a browser, compared by
 * `tests/browser/values-dom.test.mjs`. Importing it touches no DOM.
 */

/** A new element. */
const element = (name, fields = {}) => Object.assign(document.createElement(name), fields);
const refused = (row, name, make, kind) => ({
  row,
  name,
  make: () => ({ at: [make()] }),
  error: `result.at[0] cannot be sent: it is a ${kind} without data to send`,
});
const node = "`document`, an element, any other node";
const hidden = "Built-in objects without data of their own";

/** @typedef {{ row: string, name: string, make: () => unknown, json?: string, image?: boolean, error?: string }} DomCase */

/** Every case. @type {DomCase[]} */
export const DOM = [
  refused(node, "document", () => document, "HTMLDocument"),
  refused(node, "an element", () => element("div"), "HTMLDivElement"),
  refused(node, "an element that a framework hung data on", () => element("div", { __data$1: { secret: 1 } }), "HTMLDivElement"),
  refused(node, "a form, which can be gone through", () => element("form"), "HTMLFormElement"),
  refused(node, "a text", () => document.createTextNode("x"), "Text"),
  refused(node, "a fragment", () => document.createDocumentFragment(), "DocumentFragment"),
  refused("`window`, `globalThis`", "window", () => window, "Window"),
  refused("`window`, `globalThis`", "the window of a frame", () => frames[0], "Window"),
  refused(hidden, "a channel", () => new BroadcastChannel("values"), "BroadcastChannel"),
  refused(hidden, "a mouse event", () => new MouseEvent("click"), "MouseEvent"),
  refused(hidden, "a port", () => new MessageChannel().port1, "MessagePort"),
  refused(hidden, "an observer", () => new MutationObserver(() => undefined), "MutationObserver"),
  refused(hidden, "a canvas context", () => element("canvas").getContext("2d"), "CanvasRenderingContext2D"),
  refused(hidden, "navigator", () => navigator, "Navigator"),
  { row: "Lists of the page: `NodeList` of nothing, `classList`, `FileList`", name: "a NodeList of nothing", make: () => document.querySelectorAll("nothing"), json: "[]" },
  {
    row: "Lists of the page: `NodeList` of nothing, `classList`, `FileList`",
    name: "a NodeList of elements",
    make: () => document.querySelectorAll("body"),
    error: "result[0] cannot be sent: it is a HTMLBodyElement without data to send",
  },
  { row: "Lists of the page: `NodeList` of nothing, `classList`, `FileList`", name: "classList", make: () => element("div", { className: "a b" }).classList, json: '["a","b"]' },
  {
    row: "Lists of the page: `NodeList` of nothing, `classList`, `FileList`",
    name: "FileList",
    make: () => {
      const carrier = new DataTransfer();
      carrier.items.add(new File(["x"], "x.txt", { type: "text/plain" }));
      return carrier.files;
    },
    json: '["[text/plain, content 1]"]',
  },
  { row: "`dataset`", name: "with entries", make: () => document.querySelector("[data-sku]").dataset, json: '{"sku":"A-1"}' },
  { row: "`dataset`", name: "of nothing", make: () => element("div").dataset, json: "{}" },
  { row: "`toJSON`", name: "a DOMRect", make: () => new DOMRect(1, 2, 3, 4), json: '{"x":1,"y":2,"width":3,"height":4,"top":2,"right":4,"bottom":6,"left":1}' },
  { row: "`ImageData`", name: "two pixels", make: () => new ImageData(2, 1), json: '"[image/png, content 1]"', image: true },
  { row: "A record", name: "of another realm", make: () => new (frames[0].Object)(), json: "{}" },
  { row: "A Map", name: "of another realm", make: () => new (frames[0].Map)([["a", 1]]), json: '[["a",1]]' },
  { row: "A Date", name: "of another realm", make: () => new (frames[0].Date)(0), json: '"1970-01-01T00:00:00.000Z"' },
  { row: "An Error", name: "of another realm", make: () => new (frames[0].RangeError)("too far"), json: '"too far"' },
  { row: "Bytes: `ArrayBuffer`, `SharedArrayBuffer`, `Uint8Array`, `Uint8ClampedArray`, `DataView`", name: "of another realm", make: () => new (frames[0].Uint8Array)([1]), json: '"[application/octet-stream, content 1]"' },
];
