/**
 * A request in the log, and how it is shown.
 */
import * as DateTime from "effect/DateTime"
import type { StoredRequest } from "../control/Model.ts"
import type { ReceivedRequest } from "../Recorded.ts"
import type { Redact } from "./TokenRedaction.ts"

/** What becomes of a request. */
export interface Outcome {
  /** Of the response, once there is one. */
  readonly status?: number
  readonly refusal?: string
  /** The fault, or the suffix of the forced outcome. */
  readonly fault?: string
  readonly recipient?: string
  readonly message_id?: string
}

export interface LoggedRequest {
  readonly id: number
  /** When its headers had arrived. */
  readonly startedAt: number
  request: ReceivedRequest
  outcome: Outcome
  /** From its start to its end, once it has ended. */
  milliseconds: number | undefined
}

export const startTime = ({ startedAt }: LoggedRequest): string =>
  DateTime.formatIso(DateTime.makeUnsafe(startedAt))

const shownBody = 64 * 1024

/** It may repeat a long id, which is whole in the path. */
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
