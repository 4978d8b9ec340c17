/**
 * A request in the log, and its form in the control endpoints.
 */
import * as DateTime from "effect/DateTime"
import type { StoredRequest } from "./Stored.ts"
import type { ReceivedRequest } from "./Recorded.ts"
import type { Redact } from "./TokenRedaction.ts"

/** The outcome of a request. */
export interface Outcome {
  /** The status of the response, once there is one. */
  readonly status?: number
  readonly refusal?: string
  /** The fault, or the suffix of the forced outcome. */
  readonly fault?: string
  readonly recipient?: string
  readonly message_id?: string
}

export interface LoggedRequest {
  readonly id: number
  /** The time when the headers arrived. */
  readonly startedAt: number
  request: ReceivedRequest
  outcome: Outcome
  /** The duration, once the request has ended. */
  milliseconds: number | undefined
}

export const startTime = ({ startedAt }: LoggedRequest): string =>
  DateTime.formatIso(DateTime.makeUnsafe(startedAt))

const shownBody = 64 * 1024

/** A refusal may repeat a long id. The path has the whole id. */
const shownRefusal = 500

export const stored =
  (redact: Redact) =>
  (logged: LoggedRequest): StoredRequest => {
    const { milliseconds, outcome, request } = logged
    const { recipient: _, refusal, ...others } = outcome
    return {
      id: logged.id,
      time: startTime(logged),
      method: request.method,
      path: redact(request.url),
      body: redact(request.body, shownBody),
      ...others,
      ...(refusal === undefined ? {} : { refusal: redact(refusal, shownRefusal) }),
      disconnected: request.disconnected,
      ...(milliseconds === undefined ? {} : { milliseconds })
    }
  }
