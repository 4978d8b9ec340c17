/**
 * Resources: the same reads, for hosts that attach data to a conversation.
 */
import * as Effect from "effect/Effect"
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult
} from "@modelcontextprotocol/server"
import { Notice } from "../Notice.ts"
import type { Refusal } from "../Refusal.ts"
import type { Services } from "../Runner.ts"

/** JSON, with a notice where there is one. */
export const asJson = (
  uri: string,
  read: Effect.Effect<object, Refusal, Services>
): Effect.Effect<ReadResourceResult, ProtocolError, Services> =>
  Effect.gen(function* () {
    const notice = yield* Notice
    const data = yield* read
    const shown = notice === "" ? data : { notice, ...data }
    return {
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify(shown) }]
    }
  }).pipe(
    Effect.catchDefect(() =>
      Effect.fail(
        new ProtocolError(ProtocolErrorCode.InternalError, "The resource could not be read.")
      )
    ),
    Effect.mapError((error) =>
      error instanceof ProtocolError
        ? error
        : new ProtocolError(ProtocolErrorCode.InternalError, error.text, {
            code: error.code,
            ...error.details
          })
    )
  )
