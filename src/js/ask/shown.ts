/**
 * Keeps a runtime's list of open questions, and tells its listeners how each goes.
 */
import type { QuestionEvent } from "../events.js";
import type { OpenQuestion, Question } from "./question.js";

/** What to do with a question that opens: it is listed until it is over. */
export function shown(questions: Set<Question> | undefined, emit: ((event: QuestionEvent) => void) | undefined, opened: () => void = () => undefined): (open: OpenQuestion) => void {
  return ({ question, ended }) => {
    const { id, kind, title, call } = question;
    const tell = (state: QuestionEvent["state"]): void =>
      emit?.({ type: "question", state, id, kind, title, ...(call && { sessionId: call.sessionId, callId: call.callId, attempt: call.attempt, name: call.name }) });
    questions?.add(question);
    opened();
    tell("asked");
    void ended.then(({ state }) => {
      questions?.delete(question);
      tell(state);
    });
  };
}
