/** The failures that only clients with promises have. A program with Effect does not load them. */
import { failure, type OfBrokenResponse, type OfCall, outcomeOfBroken } from "./Failure.ts"

const abortedAt = (started: boolean, status: number | undefined): string => {
  if (!started) return "before the request started"
  return status === undefined
    ? "after the request may have started"
    : `in the body of HTTP ${status}`
}

/** The caller's `AbortSignal` ended a call of the promise client. Its `name` is `AbortError`. */
export class Aborted extends failure<
  OfBrokenResponse & {
    /** False if the signal was aborted before the request started. */
    readonly started: boolean
  }
>()("Aborted", {
  message: ({ started, status }) => `The signal was aborted ${abortedAt(started, status)}`,
  outcome: outcomeOfBroken,
  // As of the platform's own functions.
  name: "AbortError"
}) {}

const ofJournal: ReadonlySet<string> = new Set(["prune", "resolve", "sendMany", "sendOnce"])

/** The promise client, or the journal of `openJournal`, was closed before this call. */
export class ClientClosed extends failure<OfCall>()("ClientClosed", {
  message: ({ operation }) =>
    ofJournal.has(operation)
      ? "The journal is closed, and this call sent nothing: open it, and call again"
      : "The client is closed. Create another client",
  // An earlier `sendOnce` may have sent the SMS of the key.
  outcome: ({ operation }) => (operation === "sendSms" ? "not-sent" : "unknown")
}) {}
