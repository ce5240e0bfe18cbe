/**
 * Which model answers: one of the real ones when its key is in the environment, else none, and the script speaks.
 * Keys are read here and handed to the adapter; they go nowhere else.
 */
import { anthropicModel } from "./anthropic.mjs";
import { openAiModel } from "./openai.mjs";

const system =
  "You are the assistant of Sunday Harbor, a small loose-leaf tea shop. The tools act on the page the customer is looking at. " +
  "Use them rather than guess, keep replies short and friendly, and when a tool returns an error, read it and mend your call or explain. " +
  "Never say that an order is placed unless confirm_order says so.";

/** `{ name, reply }` of the model that the environment asks for, or null. */
export function modelFrom(environment) {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = environment;
  const given = (settings) => Object.fromEntries(Object.entries(settings).filter(([, value]) => value));
  if (ANTHROPIC_API_KEY) {
    const settings = given({ apiKey: ANTHROPIC_API_KEY, baseUrl: ANTHROPIC_BASE_URL, model: ANTHROPIC_MODEL, system });
    return { name: "Anthropic", reply: anthropicModel(settings) };
  }
  if (OPENAI_API_KEY) {
    const settings = given({ apiKey: OPENAI_API_KEY, baseUrl: OPENAI_BASE_URL, model: OPENAI_MODEL, system });
    return { name: "OpenAI", reply: openAiModel(settings) };
  }
  return null;
}
