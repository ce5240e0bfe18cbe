/** The least that checks a call from a stream: eventsource-parser and @cfworker/json-schema. */
import { Validator } from "@cfworker/json-schema";
import { createParser } from "eventsource-parser";
import { answering, schema, text } from "./call.mjs";

export async function start() {
  const validator = new Validator(schema, "2020-12", true);
  let valid = false;
  const parser = createParser({ onEvent: ({ data }) => (valid = validator.validate(JSON.parse(data)).valid) });
  const response = await answering([text])();
  parser.feed(await response.text());
  if (!valid) throw new Error("the call was not valid");
}
