/**
 * Accessible names against a table: what each element is called, after Accessible Name and Description Computation 1.2
 * and the HTML mappings. Chromium's own computation is asked too and must agree where the table does not say otherwise.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGround } from "./ground.mjs";

let ground;
before(async () => (ground = await startGround()));
after(() => ground?.close());

/** [what, HTML with the element as #x, role, name, what Chromium says where it differs on purpose] */
const table = [
  ["content", '<button id="x">Save</button>', "button", "Save"],
  ["content of inline parts runs together", '<button id="x">Sa<b>ve</b> <i>all</i></button>', "button", "Save all"],
  ["blocks are apart", '<button id="x"><div>One</div><div>Two</div></button>', "button", "One Two"],
  ["a line break is a space", '<button id="x">One<br>Two</button>', "button", "One Two"],
  ["white space is squeezed", '<button id="x">  One \n  Two </button>', "button", "One Two"],
  ["aria-label before content", '<button id="x" aria-label="Close">×</button>', "button", "Close"],
  ["an empty aria-label does not count", '<button id="x" aria-label=" ">Close</button>', "button", "Close"],
  ["aria-labelledby before aria-label", '<span id="a">Good</span><button id="x" aria-labelledby="a" aria-label="Bad">×</button>', "button", "Good"],
  ["aria-labelledby in its own order", '<span id="a">One</span><span id="b">Two</span><button id="x" aria-labelledby="b a">×</button>', "button", "Two One"],
  ["aria-labelledby names itself too", '<span id="a">file.txt</span><button id="x" aria-label="Delete" aria-labelledby="x a">×</button>', "button", "Delete file.txt"],
  ["ids that are nowhere do not count", '<button id="x" aria-labelledby="nowhere">Save</button>', "button", "Save"],
  ["aria-labelledby is followed once", '<span id="a" aria-labelledby="b">One</span><span id="b">Two</span><button id="x" aria-labelledby="a">×</button>', "button", "One"],
  ["a hidden reference counts", '<span id="a" hidden>Hidden name</span><button id="x" aria-labelledby="a">×</button>', "button", "Hidden name"],
  ["with what is hidden in it", '<div id="a" style="display:none">All <span style="display:none">of it</span></div><button id="x" aria-labelledby="a">×</button>', "button", "All of it"],
  ["hidden parts of a shown reference do not", '<div id="a">Only <span style="display:none">not</span> this</div><button id="x" aria-labelledby="a">×</button>', "button", "Only this"],
  ["hidden content does not count", '<button id="x">Save<span hidden> now</span></button>', "button", "Save"],
  ["nor what CSS hides", '<button id="x">Save<span style="visibility:hidden"> now</span></button>', "button", "Save"],
  ["nor aria-hidden", '<button id="x"><span aria-hidden="true">★</span>Star</button>', "button", "Star"],
  ["a picture in content", '<button id="x"><img alt="Print" src="data:,"></button>', "button", "Print"],
  ["a picture without words", '<button id="x"><img alt="" src="data:,">Print</button>', "button", "Print"],
  ["aria-label inside of content", '<button id="x">Go to <span aria-label="page two">2</span></button>', "button", "Go to page two"],
  ["title as the last resort", '<button id="x" title="Close"></button>', "button", "Close"],
  ["content before title", '<button id="x" title="Close it">Close</button>', "button", "Close"],
  ["text before by CSS", '<style>#x::before{content:"New: "}</style><button id="x">Item</button>', "button", "New: Item"],
  ["text after by CSS", '<style>#x::after{content:" (opens)"}</style><button id="x">Item</button>', "button", "Item (opens)"],
  ["the words for what CSS adds", '<style>#x::before{content:"★" / "Star"}</style><button id="x"> item</button>', "button", "Star item"],
  ["a link", '<a id="x" href="/a">Home</a>', "link", "Home"],
  ["a link around a picture", '<a id="x" href="/a"><img alt="Logo" src="data:,"></a>', "link", "Logo"],
  ["a heading", '<h2 id="x">News <small>today</small></h2>', "heading", "News today"],
  ["a label around", '<label>Name <input id="x"></label>', "textbox", "Name"],
  ["a label by id", '<label for="x">Name</label><input id="x">', "textbox", "Name"],
  ["two labels", '<label for="x">First</label><label for="x">Second</label><input id="x">', "textbox", "First Second"],
  ["a label with the value of another field", '<label for="x">Flash</label> <label>Repeat <input id="x" type="checkbox"> every <input value="5" aria-label="n"> minutes</label>', "checkbox", "Flash Repeat every 5 minutes"],
  ["a list in a label", '<label><input type="checkbox" id="x"> Flash <select><option>once<option selected>twice</select></label>', "checkbox", "Flash twice"],
  ["a range in a label", '<label><input type="checkbox" id="x"> At <input type="range" min="0" max="9" value="4"> of nine</label>', "checkbox", "At 4 of nine"],
  ["aria-label before label", '<label for="x">Bad</label><input id="x" aria-label="Good">', "textbox", "Good"],
  ["a label before title", '<label for="x">Good</label><input id="x" title="Bad">', "textbox", "Good"],
  ["title before placeholder", '<input id="x" title="Good" placeholder="Bad">', "textbox", "Good"],
  ["placeholder", '<input id="x" placeholder="Search the shop">', "textbox", "Search the shop"],
  ["aria-placeholder", '<div id="x" role="textbox" aria-placeholder="Say something" tabindex="0"></div>', "textbox", "Say something"],
  ["a field without any name", '<input id="x">', "textbox", ""],
  ["text area", '<label>Note <textarea id="x">text</textarea></label>', "textbox", "Note"],
  ["a list", '<label>Size <select id="x"><option>S</select></label>', "combobox", "Size"],
  ["search", '<input id="x" type="search" aria-label="Find">', "searchbox", "Find"],
  ["radio", '<label><input id="x" type="radio"> Red</label>', "radio", "Red"],
  ["submit with its word", '<input id="x" type="submit" value="Pay">', "button", "Pay"],
  ["submit without one", '<input id="x" type="submit">', "button", "Submit"],
  ["reset without one", '<input id="x" type="reset">', "button", "Reset"],
  ["a button of the old kind", '<input id="x" type="button" value="Go">', "button", "Go"],
  ["a picture button", '<input id="x" type="image" alt="Send" src="data:,">', "button", "Send"],
  ["a picture button with a title", '<input id="x" type="image" title="Send" src="data:,">', "button", "Send"],
  ["a picture", '<img id="x" alt="A cat" src="data:,">', "img", "A cat"],
  ["a picture with a title", '<img id="x" title="A cat" src="data:,">', "img", "A cat"],
  ["a drawing", '<svg id="x" role="img" width="9" height="9"><title>Chart</title><rect width="9" height="9"/></svg>', "img", "Chart"],
  ["a drawing in a button", '<button id="x"><svg width="9" height="9"><title>Menu</title></svg></button>', "button", "Menu"],
  ["a group of fields", '<fieldset id="x"><legend>Address</legend><input></fieldset>', "group", "Address"],
  ["a table", '<table id="x"><caption>Prices</caption><tr><td>1</td><td>2</td></tr></table>', "table", "Prices"],
  ["a figure", '<figure id="x"><img alt="" src="data:,"><figcaption>Fig. 1</figcaption></figure>', "figure", "Fig. 1"],
  ["a frame", '<iframe id="x" title="Map" srcdoc="a"></iframe>', "iframe", "Map"],
  ["an option", '<select><option id="x" label="Large">L</option></select>', "option", "Large"],
  ["a group of options", '<select><optgroup id="x" label="Sizes"><option>L</option></optgroup></select>', "group", "Sizes"],
  ["details", '<details><summary id="x">More</summary>text</details>', "button", "More"],
  ["a cell", '<table><tr><td id="x">7 <b>€</b></td><td>a</td></tr></table>', "cell", "7 €"],
  ["a head of a column", '<table><tr><th id="x">Price</th></tr><tr><td>7</td></tr></table>', "columnheader", "Price"],
  ["a list has no name by its content", '<ul id="x"><li>One</li></ul>', "list", ""],
  ["navigation", '<nav id="x" aria-label="Main"><a href="/">a</a></nav>', "navigation", "Main"],
  ["a region", '<section id="x" aria-labelledby="h"><h2 id="h">News</h2></section>', "region", "News"],
  ["a dialog by its heading", '<div id="x" role="dialog" aria-labelledby="h"><h2 id="h">Sure?</h2></div>', "dialog", "Sure?"],
  ["a tab", '<div role="tablist"><div id="x" role="tab" tabindex="0">Orders</div></div>', "tab", "Orders"],
  ["a switch", '<div id="x" role="switch" aria-checked="true" tabindex="0">Dark</div>', "switch", "Dark"],
  ["an item of a menu", '<ul role="menu"><li id="x" role="menuitem" tabindex="0">Cut <kbd>X</kbd></li></ul>', "menuitem", "Cut X"],
  ["an item of a tree", '<ul role="tree"><li id="x" role="treeitem" tabindex="0">Folder</li></ul>', "treeitem", "Folder"],
  ["slotted content", '<x-button id="h">Slotted</x-button>', "button", "Slotted"],
  ["role none that can be reached stays", '<button id="x" role="none">Kept</button>', "button", "Kept"],
  ["an unknown role is passed over", '<button id="x" role="sparkle link">Both</button>', "link", "Both"],
];

test(`${table.length} names and roles`, async (context) => {
  assert.ok(table.length >= 60);
  const page = await ground.open(`<div id="stage"></div>`, {
    script: `
      customElements.define("x-button", class extends HTMLElement { constructor() { super(); const button = document.createElement("button"); button.append(document.createElement("slot")); this.attachShadow({ mode: "open" }).append(button); this.inner = button; } });
    `,
  });
  const session = await page.context().newCDPSession(page);
  const wrong = [];
  let agreed = 0;
  for (const [what, html, role, name, chromium = name] of table) {
    const { root } = await session.send("DOM.getDocument", { depth: -1 });
    const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#stage" });
    await session.send("DOM.setOuterHTML", { nodeId, outerHTML: `<div id="stage">${html}</div>` });
    const found = await page.evaluate(async () => {
      const { RawPage } = await import("/pkg/wasm/page.js");
      const { pageHands } = await import("/pkg/page-hands.js");
      globalThis.raw ??= new RawPage({}, pageHands);
      const element = document.getElementById("x") ?? document.getElementById("h").inner;
      return globalThis.raw.called(element);
    });
    if (found[0] !== role || found[1] !== name) wrong.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify([role, name])}`);
    const { result } = await session.send("Runtime.evaluate", { expression: `document.getElementById("x") ?? document.getElementById("h").inner` });
    const { nodes } = await session.send("Accessibility.getPartialAXTree", { objectId: result.objectId, fetchRelatives: false });
    const theirs = (nodes[0]?.name?.value ?? "").replace(/\s+/g, " ").trim();
    if (theirs === chromium) agreed += 1;
    else context.diagnostic(`Chromium on "${what}": ${JSON.stringify(theirs)} instead of ${JSON.stringify(chromium)}`);
  }
  assert.deepEqual(wrong, []);
  context.diagnostic(`Chromium agrees on ${agreed} of ${table.length}`);
  assert.ok(agreed >= table.length - 6, `Chromium agrees on ${agreed} only`);
  await page.end();
});
