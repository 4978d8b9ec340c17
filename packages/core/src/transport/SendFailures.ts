/**
 * Makes the errors of an attempt that got no complete response.
 */
import * as Effect from "effect/Effect"
import {
  type Head,
  noBody,
  type Received,
  type SendFailure,
  type SendOptions
} from "../call/Send.ts"
import {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"
import { failureCode } from "./ConnectPhase.ts"

export const unsendable = ({ operation }: SendOptions): InvalidInput =>
  new InvalidInput({ field: "request", problem: "the transport cannot send it", operation })

const inResponse = (head: Head | undefined, { requestIdIn }: SendOptions) =>
  head === undefined ? {} : { status: head.status, ...requestIdIn(head.headers) }

/** `started` says whether the request may have started, `head` is that of its response. */
export const connectionFailure = (
  error: unknown,
  started: boolean,
  head: Head | undefined,
  options: SendOptions
): SendFailure => {
  const { operation } = options
  const code = failureCode(error)
  const reason = code === undefined ? {} : { code }
  if (!started) {
    // undici's code for a path or a header that it cannot write.
    if (code === "UND_ERR_INVALID_ARG") return unsendable(options)
    return new ConnectionFailed({ ...reason, operation })
  }
  return new ConnectionLost({ ...reason, ...inResponse(head, options), operation })
}

export const timeoutFailure = (
  started: boolean,
  head: Head | undefined,
  options: SendOptions
): RequestTimedOut =>
  new RequestTimedOut({
    timeoutMillis: options.timeoutMillis,
    started,
    ...inResponse(head, options),
    operation: options.operation
  })

/** How an attempt ends whose body is lost: an undocumented status needs none. */
export const withoutBody = (
  failure: SendFailure,
  head: Head | undefined,
  { isDocumented }: SendOptions
): Effect.Effect<Received, SendFailure> =>
  head === undefined || isDocumented(head.status)
    ? Effect.fail(failure)
    : Effect.succeed({ ...head, body: noBody })
