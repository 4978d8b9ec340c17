/** What the promises reject with. Its declarations need no Effect. */
import type { Aborted, ClientClosed } from "../errors/ClientFailures.ts"
import { isFailure, type SendOutcome } from "../errors/Failure.ts"
import type { Operations } from "../operations/Model.ts"

/** What an operation rejects with. */
export type Rejection<Name extends keyof Operations> =
  | Operations[Name]["error"]
  | Aborted
  | ClientClosed

/** What `sendSms` rejects with. */
export type SendSmsRejection = Rejection<"sendSms"> & {
  /** Whether the SMS went out. */
  readonly sendOutcome: SendOutcome
}

/** Returns whether a value is a rejection of `sendSms`. */
export const isSendSmsRejection = (error: unknown): error is SendSmsRejection =>
  isFailure(error) && error.operation === "sendSms" && error.sendOutcome !== undefined
