/**
 * What the assistant may do in this shop by itself, as tools over the store. Each handler does what a click would
 * do. Answers are small and say what the model needs.
 */
import { tool } from "/pkg/index.js";
import { countries, days, money, mostOfOne, teas } from "../shop/catalog.js";

const nothing = { type: "object", properties: {}, additionalProperties: false };
const sku = { type: "string", enum: teas.map((tea) => tea.sku), description: "Which tea" };
const summary = {
  type: "object",
  properties: { count: { type: "integer" }, total: { type: "string" } },
  required: ["count", "total"],
};

const addressInput = {
  type: "object",
  properties: {
    recipient: { type: "string", minLength: 2, maxLength: 80 },
    address: {
      type: "object",
      properties: {
        street: { type: "string", minLength: 3, maxLength: 120 },
        city: { type: "string", minLength: 2, maxLength: 80 },
        postal_code: { type: "string", pattern: "^[0-9]{4,5}(-[0-9]{3}| ?[A-Z]{2})?$", description: "As printed on a letter, such as 4000-322 or 10115" },
        country: { type: "string", enum: Object.keys(countries), description: "Two-letter code" },
      },
      required: ["street", "city", "postal_code", "country"],
      additionalProperties: false,
    },
  },
  required: ["recipient", "address"],
  additionalProperties: false,
};

const basketOf = (shop) => ({ count: shop.count, total: money(shop.sums.total) });

/** The tools of a shop. */
export function shopTools(shop) {
  return [
    tool({
      name: "read_cart",
      action: "Looks into the basket",
      description: "Read the basket the customer sees: lines, count and total with delivery.",
      input: nothing,
      output: { ...summary, properties: { ...summary.properties, lines: { type: "array" } }, required: ["count", "total", "lines"] },
      annotations: { readOnly: true },
      execute: () => ({
        lines: shop.lines.map(({ sku: key, name, quantity, cents }) => ({ sku: key, name, quantity, price: money(cents * quantity) })),
        ...basketOf(shop),
      }),
    }),
    tool({
      name: "add_to_cart",
      action: "Adds to the basket",
      description: "Add tins of a tea to the basket.",
      input: { type: "object", properties: { sku, quantity: { type: "integer", minimum: 1, maximum: mostOfOne } }, required: ["sku", "quantity"], additionalProperties: false },
      output: summary,
      execute: (input) => {
        shop.setQuantity(input.sku, shop.quantityOf(input.sku) + input.quantity, "assistant");
        return basketOf(shop);
      },
    }),
    tool({
      name: "set_quantity",
      action: "Changes the basket",
      description: "Set how many tins of a tea are in the basket; 0 takes it out.",
      input: { type: "object", properties: { sku, quantity: { type: "integer", minimum: 0, maximum: mostOfOne } }, required: ["sku", "quantity"], additionalProperties: false },
      output: summary,
      annotations: { idempotent: true },
      execute: (input) => {
        shop.setQuantity(input.sku, input.quantity, "assistant");
        return basketOf(shop);
      },
    }),
    tool({
      name: "fill_address",
      action: "Fills in the address",
      description: "Fill in the shipping address on the page.",
      input: addressInput,
      annotations: { idempotent: true },
      execute: ({ recipient, address }) => {
        shop.setAddress({ recipient, ...address }, "assistant");
        return `Filled in: ${recipient}, ${address.street}, ${address.postal_code} ${address.city}, ${countries[address.country]}`;
      },
    }),
    tool({
      name: "get_location",
      action: "Asks where you are",
      description: "Where the customer is, as chosen on the page.",
      input: nothing,
      output: { type: "object", properties: { city: { type: "string" }, country: { type: "string" }, latitude: { type: "number" }, longitude: { type: "number" } }, required: ["city", "country"] },
      annotations: { readOnly: true },
      execute: () => {
        const { city, country, latitude, longitude } = shop.place;
        return { city, country: countries[country], latitude, longitude };
      },
    }),
    tool({
      name: "get_delivery_options",
      action: "Checks delivery",
      description: "Delivery options for the basket and the customer's place.",
      input: nothing,
      output: { type: "object", properties: { options: { type: "array", minItems: 1 } }, required: ["options"] },
      annotations: { readOnly: true },
      execute: () => ({ options: shop.options.map((option) => ({ id: option.id, name: option.name, takes: days(option.days), price: option.cents ? money(option.cents) : "free" })) }),
    }),
    tool({
      name: "apply_coupon",
      action: "Tries a coupon",
      description: "Apply a coupon code to the order.",
      input: { type: "object", properties: { code: { type: "string", minLength: 1, maxLength: 40 } }, required: ["code"], additionalProperties: false },
      annotations: { idempotent: true },
      execute: ({ code }) => {
        const percent = shop.applyCoupon(code, "assistant");
        return { percent, ...basketOf(shop) };
      },
    }),
  ];
}
