/**
 * What the assistant does in this shop only with its customer: order after a yes to the exact values, post what the
 * customer may still change, write down a note that the customer fills in. The built-in dialog asks.
 */
import { tool } from "/pkg/index.js";
import { money, teaOf, teas, wraps } from "../shop/catalog.js";

/** The form of a gift note. From its length on, the message has several lines. */
const noteForm = {
  type: "object",
  properties: {
    recipient: { type: "string", title: "For", minLength: 1, maxLength: 60 },
    message: { type: "string", title: "Your words", description: "Printed on a card. The assistant never gets to read them.", minLength: 1, maxLength: 200 },
    wrap: { type: "string", title: "Paper", enum: wraps },
    date: { type: "string", format: "date", title: "To arrive on" },
  },
  required: ["recipient", "message", "wrap"],
  additionalProperties: false,
};

/** The tools that ask. */
export function askingTools(shop) {
  return [
    tool({
      name: "confirm_order",
      action: ({ tins, total }) => `Place your order: ${tins === 1 ? "1 tin" : `${tins} tins`} for ${total}`,
      description: "Place the order. The customer is asked first; give the tins and the total that read_cart says.",
      input: {
        type: "object",
        properties: { tins: { type: "integer", minimum: 1 }, total: { type: "string", description: "With delivery, such as €17.40" } },
        required: ["tins", "total"],
        additionalProperties: false,
      },
      output: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
      annotations: { destructive: true },
      execute: ({ tins, total }) => {
        // What was agreed to is what is ordered: the basket may have changed since.
        const now = money(shop.sums.total);
        if (tins !== shop.count || total !== now) throw new Error(`The basket is ${shop.count} tins for ${now}, not ${tins} for ${total}. Nothing was ordered.`);
        return { order: shop.placeOrder("assistant") };
      },
    }),
    tool({
      name: "post_review",
      action: ({ sku: key }) => `Post this review of ${teaOf(key)?.name ?? key}`,
      description: "Post a review of a tea in the customer's name. The customer reads and may change it first.",
      input: {
        type: "object",
        properties: { sku: { title: "Tea", oneOf: teas.map((tea) => ({ const: tea.sku, title: tea.name })) }, stars: { type: "integer", minimum: 1, maximum: 5 }, text: { type: "string", title: "Review", minLength: 1, maxLength: 160 } },
        required: ["sku", "stars", "text"],
        additionalProperties: false,
      },
      approve: "always",
      editable: true,
      execute: ({ sku: key, stars, text }) => {
        shop.setReview(key, { stars, text }, "assistant");
        return { posted: true };
      },
    }),
    tool({
      name: "add_gift_note",
      action: "Writes your gift note",
      description: "Put a gift note to the order. The customer writes it in a form; its words stay on the page.",
      input: { type: "object", properties: { recipient: { type: "string", maxLength: 60, description: "For whom, if known" } }, additionalProperties: false },
      output: { type: "object", properties: { recipient: { type: "string" }, wrap: { type: "string" }, date: { type: "string" } }, required: ["recipient", "wrap"] },
      // Run again it asks again, with what had been typed: so it may, after a reload.
      annotations: { idempotent: true },
      execute: async ({ recipient }, { ask }) => {
        const { message, ...rest } = await ask({
          title: "Your gift note",
          message: "A card goes with the tins, and paper around them.",
          schema: noteForm,
          initial: { ...(recipient && { recipient }), wrap: wraps[0] },
          submitLabel: "Add the note",
          cancelLabel: "No note",
        });
        shop.setGift({ message, ...rest }, "assistant");
        return rest;
      },
    }),
  ];
}
