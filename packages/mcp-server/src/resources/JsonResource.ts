/**
 * Resources return the same data as the read tools, for hosts that attach data to a conversation.
 */
import * as Effect from "effect/Effect"
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult
} from "@modelcontextprotocol/server"
import { longestCall } from "../send/InFlight.ts"
import { Notice } from "../send/Notice.ts"
import { factsOf, readTooLong, type Refusal, resourceFailed } from "../send/Refusal.ts"
import { sentences } from "../send/Text.ts"
import type { Services } from "../tools/Tool.ts"

/** Returns the data as JSON, with the notice if it is not empty. */
export const asJson = Effect.fnUntraced(function* (
  uri: string,
  read: Effect.Effect<object, Refusal, Services>
): Effect.fn.Return<ReadResourceResult, ProtocolError, Services> {
  const notice = yield* Notice
  const data = yield* read.pipe(
    Effect.timeoutOrElse({ duration: longestCall, orElse: () => Effect.fail(readTooLong) }),
    Effect.catchDefect(() => Effect.fail(resourceFailed)),
    Effect.mapError(
      (refusal) =>
        new ProtocolError(
          ProtocolErrorCode.InternalError,
          sentences(notice, refusal.message),
          factsOf(refusal, true)
        )
    )
  )
  const shown = notice === "" ? data : { notice, ...data }
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(shown) }] }
})
