/**
 * A real model for the engine: its failures become what the engine records, its deltas go out as they come.
 * A failure after a part was shown is final, because a second try would show that part twice.
 */
import { ModelError } from "../models/wire.mjs";

/** What the engine asks instead of its script. */
export const modelHost = (model) => async (asked, show) => {
  let shown = false;
  try {
    return await model.reply(asked, (delta) => {
      shown = true;
      show(delta);
    });
  } catch (error) {
    const failure = error instanceof ModelError ? error.failure() : { message: `the model's adapter failed: ${error.message}`, code: "internal", retryable: false };
    console.error(`Model: ${failure.message}`);
    return { error: { ...failure, retryable: failure.retryable && !shown } };
  }
};
