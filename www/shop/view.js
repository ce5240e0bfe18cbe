/**
 * Draws the shop into the page and turns the customer's clicks into changes of the store.
 * It reads the store and never keeps a copy; it knows nothing of the assistant.
 */
import { byId, el, touch } from "../dom.js";
import { countries, coupons, days, money, mostOfOne, places, teas } from "./catalog.js";

const picture = (sku, size) => el("img", { src: `pictures/${sku}.svg`, alt: "", width: size, height: size });

function drawProducts(shop) {
  const cards = teas.map((tea) =>
    el(
      "li",
      { class: "product", "data-sku": tea.sku },
      el("figure", {}, picture(tea.sku, 122)),
      el("div", { class: "words" }, el("h2", {}, tea.name), el("p", {}, tea.note), el("blockquote", { class: "review", hidden: true })),
      el(
        "footer",
        {},
        el("span", { class: "price" }, money(tea.cents), el("small", {}, " / 80 g")),
        el("button", { class: "add", type: "button", "aria-label": `Add ${tea.name} to the basket`, onclick: () => shop.setQuantity(tea.sku, Math.min(mostOfOne, shop.quantityOf(tea.sku) + 1)) }, "Add"),
      ),
    ),
  );
  byId("products").replaceChildren(...cards);
}

/** Redraws the lines and keeps the keyboard where it was. */
function drawLines(shop) {
  const held = document.activeElement?.dataset?.step;
  const step = (line, by, sign, word) =>
    el("button", { type: "button", "data-step": `${line.sku}${by}`, "aria-label": `${word} ${line.name}`, onclick: () => shop.setQuantity(line.sku, Math.min(mostOfOne, line.quantity + by)) }, sign);
  const lines = shop.lines.map((line) =>
    el(
      "li",
      { class: "line" },
      picture(line.sku, 44),
      el("div", {}, el("b", {}, line.name), el("span", {}, money(line.cents * line.quantity))),
      el("div", { class: "stepper" }, step(line, -1, "−", "One less"), el("output", { "aria-label": `Tins of ${line.name}` }, String(line.quantity)), step(line, 1, "+", "One more")),
    ),
  );
  byId("basket-lines").replaceChildren(...lines);
  if (held) (document.querySelector(`[data-step="${held}"]`) ?? byId("basket")).focus();
}

function drawBasket(shop) {
  drawLines(shop);
  const { subtotal, saved, delivery, total } = shop.sums;
  const row = (name, value, style) => [el("dt", { class: style }, name), el("dd", { class: style }, value)];
  byId("totals").replaceChildren(
    ...row("Subtotal", money(subtotal)),
    ...(saved ? row(`Coupon ${shop.coupon} (${coupons[shop.coupon]} %)`, `−${money(saved)}`, "saved") : []),
    ...row("Delivery", delivery ? money(delivery) : subtotal ? "Free" : "—"),
    ...row("Total", money(total), "total"),
  );
  byId("basket-empty").hidden = shop.count > 0;
  byId("basket-count").textContent = String(shop.count);
  byId("placed").hidden = !shop.orderNumber;
  byId("placed").textContent = shop.orderNumber ? `Order ${shop.orderNumber} is placed. Thank you!` : "";
}

function drawDelivery(shop) {
  const { place } = shop;
  byId("place").value = place.id;
  byId("coordinates").textContent = `${Math.abs(place.latitude).toFixed(2)}° ${place.latitude < 0 ? "S" : "N"}, ${Math.abs(place.longitude).toFixed(2)}° ${place.longitude < 0 ? "W" : "E"}`;
  const held = document.activeElement?.name === "delivery";
  const options = shop.options.map((option) =>
    el(
      "label",
      { class: "option" },
      el("input", { type: "radio", name: "delivery", value: option.id, checked: option.id === shop.delivery, onchange: () => shop.setDelivery(option.id) }),
      el("span", {}, option.name, el("small", {}, days(option.days))),
      el("b", {}, option.cents ? money(option.cents) : "Free"),
    ),
  );
  byId("options").replaceChildren(...options);
  if (held) document.querySelector("[name=delivery]:checked").focus();
}

/** The gift note; its words are between two people, so that the page's tools mask them. */
function drawGift({ gift }) {
  byId("gift").hidden = !gift;
  if (!gift) return;
  const { recipient, message, wrap, date } = gift;
  const day = date ? `, to arrive on ${new Date(`${date}T12:00`).toLocaleDateString("en", { day: "numeric", month: "long" })}` : "";
  byId("gift").dataset.wrap = wrap;
  byId("gift").replaceChildren(el("b", {}, `A gift for ${recipient}`), el("span", {}, `Wrapped in ${wrap}${day}`), el("blockquote", { class: "private" }, message));
}

function drawReviews({ reviews }) {
  for (const [sku, { stars, text }] of reviews) {
    const review = document.querySelector(`[data-sku="${sku}"] .review`);
    review.hidden = false;
    review.replaceChildren(el("span", { class: "stars", role: "img", "aria-label": `${stars} of 5 stars` }, "★".repeat(stars) + "☆".repeat(5 - stars)), el("span", {}, text));
  }
}

function drawAddress(shop) {
  for (const [name, value] of Object.entries(shop.address)) byId(name).value = value;
}

/** Draws everything once, and again whatever changes. */
export function drawShop(shop) {
  byId("place").append(...places.map((place) => el("option", { value: place.id }, `${place.city}, ${countries[place.country]}`)));
  byId("country").append(el("option", { value: "" }, "Choose a country"), ...Object.entries(countries).map(([code, name]) => el("option", { value: code }, name)));
  byId("place").addEventListener("change", (event) => shop.setPlace(event.target.value));
  byId("address").addEventListener("input", (event) => shop.setAddress({ [event.target.name]: event.target.value }));
  byId("address").addEventListener("submit", (event) => event.preventDefault());
  drawProducts(shop);
  const drawings = { basket: [drawBasket, drawDelivery], delivery: [drawDelivery, drawBasket], address: [], order: [drawBasket], gift: [drawGift], reviews: [drawReviews] };
  const cards = { basket: byId("basket"), delivery: byId("delivery"), address: byId("checkout"), order: byId("basket"), gift: byId("gift"), reviews: byId("products") };
  shop.addEventListener("change", ({ detail: { part, by } }) => {
    for (const draw of drawings[part]) draw(shop);
    if (by !== "assistant") return;
    if (part === "address") drawAddress(shop);
    touch(cards[part]);
  });
  drawBasket(shop);
  drawDelivery(shop);
  drawAddress(shop);
}
