/**
 * Makes the errors of an attempt that got no complete response.
 */
import type { SendFailure, SendOptions } from "../call/Send.ts"
import {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  RequestTimedOut
} from "../errors/ClientFailures.ts"
import { failureCode } from "./ConnectPhase.ts"

export const unsendable = ({ operation }: SendOptions): InvalidInput =>
  new InvalidInput({ field: "request", problem: "the transport cannot send it", operation })

/** `started` says whether the request may have started. */
export const connectionFailure = (
  error: unknown,
  started: boolean,
  status: number | undefined,
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
  return new ConnectionLost({ ...reason, ...(status === undefined ? {} : { status }), operation })
}

export const timeoutFailure = (
  started: boolean,
  status: number | undefined,
  { operation, timeoutMillis }: SendOptions
): RequestTimedOut =>
  new RequestTimedOut({
    timeoutMillis,
    started,
    ...(status === undefined ? {} : { status }),
    operation
  })
