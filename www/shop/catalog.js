/**
 * What the shop has: teas, places, delivery options, coupons, countries. Prices are in cents.
 * Data and formatting only: nothing here changes, and nothing here touches the page.
 */
export const teas = [
  { sku: "morning-fog", name: "Morning Fog", note: "Earl Grey, bergamot, a little cream", cents: 1250 },
  { sku: "smoke-signal", name: "Smoke Signal", note: "Lapsang souchong over pine embers", cents: 1400 },
  { sku: "green-cove", name: "Green Cove", note: "First-flush sencha, grassy and sweet", cents: 1600 },
  { sku: "copper-kettle", name: "Copper Kettle", note: "Strong Assam for a full breakfast", cents: 1100 },
  { sku: "salt-meadow", name: "Salt Meadow", note: "Chamomile, lemon verbena, no caffeine", cents: 1050 },
  { sku: "night-ferry", name: "Night Ferry", note: "Rooibos, vanilla and orange peel", cents: 1200 },
];

export const places = [
  { id: "lisbon", city: "Lisbon", country: "PT", latitude: 38.7223, longitude: -9.1393, days: [3, 1] },
  { id: "porto", city: "Porto", country: "PT", latitude: 41.1579, longitude: -8.6291, days: [2, 1] },
  { id: "berlin", city: "Berlin", country: "DE", latitude: 52.52, longitude: 13.405, days: [5, 2] },
  { id: "utrecht", city: "Utrecht", country: "NL", latitude: 52.0907, longitude: 5.1214, days: [4, 2] },
];

export const countries = { PT: "Portugal", ES: "Spain", FR: "France", DE: "Germany", NL: "Netherlands" };

export const coupons = { HARBOR10: 10 };

/** Papers for gifts; the names are also those of their styles. */
export const wraps = ["Sea green", "Sunrise", "Ember"];

export const freeDeliveryFrom = 4500;
export const mostOfOne = 12;

/** Delivery options for a place and a subtotal. */
export function deliveryOptions(place, subtotal) {
  const standard = subtotal >= freeDeliveryFrom ? 0 : 490;
  return [
    { id: "standard", name: "By cargo bike and rail", days: place.days[0], cents: standard },
    { id: "express", name: "Express courier", days: place.days[1], cents: 990 },
  ];
}

export const teaOf = (sku) => teas.find((tea) => tea.sku === sku);
export const placeOf = (id) => places.find((place) => place.id === id);
export const money = (cents) => `€${(cents / 100).toFixed(2)}`;
export const days = (count) => (count === 1 ? "1 day" : `${count} days`);
