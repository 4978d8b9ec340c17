/** A request to the service while it is handled. */
import * as Context from "effect/Context"
import type { Fault, StoredRequest } from "../Types.ts"

/** What is kept of a request beside its own content. */
type Got = Pick<StoredRequest, "status" | "refusal" | "fault" | "forced" | "message_id">

export interface Handling {
  /** What the request got so far. */
  readonly got: Got
  /** Keeps more of it. */
  readonly keep: (more: Got) => void
  /** The fault that a forced outcome means: it is applied to the response. */
  forcedFault?: Fault
}

/** Requests to the control endpoints are not kept. */
const notKept: Handling = { got: {}, keep: () => {} }

/** The request that is handled. */
export const Handling = Context.Reference<Handling>("@messaging-topup/sandbox/http/Handling", {
  defaultValue: () => notKept
})
