/**
 * The shop's state: basket, coupon, address, place, delivery, gift note, reviews, order. Everything that changes it is a method here,
 * and each change is told by one `change` event that names the part. It knows neither page nor assistant.
 */
import { coupons, deliveryOptions, mostOfOne, placeOf, places, teaOf } from "./catalog.js";

const emptyAddress = { recipient: "", street: "", postal_code: "", city: "", country: "" };

export class Shop extends EventTarget {
  #basket = new Map([["morning-fog", 1]]);
  coupon = null;
  place = places[0];
  delivery = "standard";
  address = { ...emptyAddress };
  /** What goes with the parcel: `{ recipient, message, wrap, date? }`. */
  gift = null;
  /** What customers say of a tea, by its sku: `{ stars, text }`. */
  reviews = new Map();
  orderNumber = null;
  #orders = 1041;

  #changed(part, by) {
    this.dispatchEvent(new CustomEvent("change", { detail: { part, by } }));
  }

  /** The basket's lines, in the order they were put in. */
  get lines() {
    return [...this.#basket].map(([sku, quantity]) => ({ ...teaOf(sku), quantity }));
  }

  get count() {
    return this.lines.reduce((sum, line) => sum + line.quantity, 0);
  }

  /** What is to be paid, in cents. */
  get sums() {
    const subtotal = this.lines.reduce((sum, line) => sum + line.cents * line.quantity, 0);
    const saved = this.coupon ? Math.round((subtotal * coupons[this.coupon]) / 100) : 0;
    const chosen = this.options.find((option) => option.id === this.delivery);
    const delivery = subtotal ? chosen.cents : 0;
    return { subtotal, saved, delivery, total: subtotal - saved + delivery };
  }

  get options() {
    const subtotal = this.lines.reduce((sum, line) => sum + line.cents * line.quantity, 0);
    return deliveryOptions(this.place, subtotal);
  }

  quantityOf(sku) {
    return this.#basket.get(sku) ?? 0;
  }

  /** Sets how many tins of a tea are in the basket; 0 takes it out. */
  setQuantity(sku, quantity, by = "user") {
    if (!teaOf(sku)) throw new Error(`There is no tea called "${sku}".`);
    if (quantity > mostOfOne) throw new Error(`We can send at most ${mostOfOne} tins of one tea.`);
    if (quantity > 0) this.#basket.set(sku, quantity);
    else this.#basket.delete(sku);
    this.orderNumber = null;
    this.#changed("basket", by);
  }

  /** Takes a coupon off the order; throws over one the shop does not know. */
  applyCoupon(code, by = "user") {
    const known = code.trim().toUpperCase();
    if (!(known in coupons)) throw new Error(`"${code}" is not a coupon of this shop, or it has expired. Current coupons: ${Object.keys(coupons).join(", ")}.`);
    this.coupon = known;
    this.#changed("basket", by);
    return coupons[known];
  }

  setAddress(fields, by = "user") {
    this.address = { ...this.address, ...fields };
    this.#changed("address", by);
  }

  setPlace(id, by = "user") {
    this.place = placeOf(id) ?? this.place;
    this.#changed("delivery", by);
  }

  setDelivery(id, by = "user") {
    this.delivery = id;
    this.#changed("delivery", by);
  }

  setGift(gift, by = "user") {
    this.gift = gift;
    this.#changed("gift", by);
  }

  setReview(sku, review, by = "user") {
    this.reviews.set(sku, review);
    this.#changed("reviews", by);
  }

  /** Places the order and gives its number. */
  placeOrder(by = "user") {
    if (this.count === 0) throw new Error("The basket is empty, so there is nothing to order.");
    this.#orders += 1;
    this.orderNumber = `SH-${this.#orders}`;
    this.#changed("order", by);
    return this.orderNumber;
  }
}
