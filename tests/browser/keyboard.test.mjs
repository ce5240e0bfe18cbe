/** The demo by keyboard alone: every control can be reached, shows where the focus is, and does its work. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertSettledOnce, booksOf, dialogPart, openShop, picture, startBrowser, turnEnded, withDemo } from "./helpers.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const focused = (page) =>
  page.evaluate(() => {
    const outer = document.activeElement;
    const element = outer.shadowRoot?.activeElement ?? document.querySelector("pagehand-ask")?.shadowRoot.activeElement ?? outer;
    const shown = element.matches("[type=radio]") ? element.closest("label") : element;
    const style = getComputedStyle(shown);
    const words = element.labels?.[0]?.textContent || element.textContent.trim();
    const name = element.getAttribute("aria-label") ?? (element.getRootNode() === document ? element.id : words);
    return { tag: element.tagName, name: name || words, ring: style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2 };
  });

test("the order can be placed without a mouse, and the focus is never lost or hidden", async () => {
  await withDemo({}, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);

    await page.keyboard.press("Tab");
    assert.equal((await focused(page)).name, "Skip to the assistant");
    await page.keyboard.press("Enter");
    assert.equal((await focused(page)).name, "composer-text");

    await page.keyboard.type("Place my order");
    await page.keyboard.press("Enter");
    await dialogPart(page, "submit").and(page.locator(":enabled")).waitFor();
    assert.equal((await focused(page)).name, "Place your order: 1 tin for €17.40", "a key that was meant for the page allows nothing");
    for (const name of ["Values", "If you decline: why? (optional)", "Decline", "Allow"]) {
      await page.keyboard.press("Tab");
      const at = await focused(page);
      assert.deepEqual([at.name, at.ring], [name, true]);
    }
    await picture(page, "1280-light-9-keyboard");
    await page.keyboard.press("Tab");
    assert.equal((await focused(page)).name, "Values", "the keyboard stays in the dialog");
    await page.keyboard.press("Shift+Tab");
    assert.equal((await focused(page)).name, "Allow");
    await page.keyboard.press("Space");
    await turnEnded(page);
    assert.match(await page.locator("#placed").textContent(), /SH-1042/);
    assert.equal((await focused(page)).name, "composer-text", "after an answer the keyboard is back where one writes");

    await page.locator("#calls summary").first().focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#calls details").first().evaluate((details) => details.open), true);
    assertSettledOnce(await booksOf(page, demo));
    assert.deepEqual(page.trouble, []);
    await page.end();
  });
});

test("every control is reached by Tab in order and shows a ring", async () => {
  await withDemo({}, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    const seen = [];
    for (let press = 0; press < 80; press += 1) {
      await page.keyboard.press("Tab");
      const at = await focused(page);
      if (at.tag === "BODY") break;
      assert.equal(at.ring, true, `${at.tag} ${at.name} shows no focus`);
      seen.push(at.name);
    }
    for (const name of ["Add Night Ferry to the basket", "One more Morning Fog", "place", "street", "country", "Conversation", "Place my order", "composer-text", "Send"]) {
      assert.ok(seen.includes(name), `${name} was not reached, only: ${seen.join(", ")}`);
    }
    await page.end();
  });
});

test("the basket's buttons keep the keyboard while the basket is redrawn", async () => {
  await withDemo({}, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    await page.locator("[aria-label='One more Morning Fog']").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.equal((await focused(page)).name, "One more Morning Fog");
    assert.equal(await page.locator("#basket-count").textContent(), "3");
    await page.locator("[aria-label='One less Morning Fog']").focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press("Enter");
    assert.equal(await page.locator("#basket-empty").isVisible(), true);
    assert.equal((await focused(page)).name, "basket");
    await page.end();
  });
});

test("whoever wants less motion gets none", async () => {
  await withDemo({}, async (demo) => {
    const page = await browser.page({ reducedMotion: "reduce" });
    await openShop(page, demo);
    const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll("*")].map((one) => Number.parseFloat(getComputedStyle(one).transitionDuration) || 0)));
    assert.ok(longest < 0.001, `a transition takes ${longest} s`);
    await page.end();
  });
});
