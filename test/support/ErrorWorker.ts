/**
 * A worker thread that decodes errors with the schema of their operation, describes each, and
 * encodes them again.
 */
import * as core from "@messaging-topup/core"
import * as Schema from "effect/Schema"
import { parentPort } from "node:worker_threads"
import { unions } from "./ErrorUnions.ts"

export interface EncodedError {
  readonly name: keyof typeof unions
  readonly encoded: unknown
}

/** The worker's description of one error. */
export interface DecodedError {
  readonly className: string
  readonly outcome: string | undefined
  readonly encoded: unknown
}

const cross = ({ encoded, name }: EncodedError): DecodedError => {
  const error = Schema.decodeUnknownSync(unions[name])(encoded)
  return {
    className: error.constructor.name,
    outcome: Schema.is(core.SendSmsError)(error) ? core.sendOutcome(error) : undefined,
    encoded: Schema.encodeUnknownSync(unions[name])(error)
  }
}

parentPort?.on("message", (encodedErrors: ReadonlyArray<EncodedError>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(encodedErrors.map(cross))
})
