/** Why an SMS was rejected, or why its outcome is unknown, as a sentence. */
import { documentedErrors } from "@messaging-topup/core"
import * as Record from "effect/Record"

const sentences: Readonly<Record<string, string>> = {
  ...Record.map(documentedErrors, ({ title }) => `the service responded "${title}"`),
  ConnectionLost: "the connection broke before the response",
  InvalidInput: "the SMS cannot be written as a request",
  InvalidResponse: "the response cannot be read",
  Interrupted: "the process was stopped before the response",
  RequestTimedOut: "there was no response in time",
  UndocumentedStatus: "the service responded in a way that it does not document"
}

/** Keeps the error's name and status, by which programs and support find it. */
export const sentenceOf = (reason: string | undefined): string => {
  if (reason === undefined) return "the process ended before the response"
  const [tag = ""] = reason.split(" ")
  const sentence = sentences[tag]
  return sentence === undefined ? reason : `${sentence} (${reason})`
}

/** Why a row is not sent whose key the journal has already. */
export const changedProblem =
  "the journal has this key with another request: give the row another key, or leave it as it was"
