/**
 * What the operator allows, and the identity of a caller.
 */
import type { AllowRule } from "./Recipient.ts"
import { everyone, type SendLimit } from "./PlannedSend.ts"

/** The identity of a caller. */
export interface Identity {
  /** `local` over stdio; `key:<name>`, `oauth:<issuer>|<subject>` or `anonymous` over HTTP. */
  readonly principal: string
  /** The client of an OAuth token. */
  readonly clientId?: string
}

/**
 * Which sends need an approval. auto: all if the client can ask, otherwise second sends; require:
 * all; off: second sends.
 */
export type Confirm = "auto" | "require" | "off"

export interface Rules {
  readonly canSend: boolean
  /** Without a list, everyone is allowed. */
  readonly allowList: ReadonlyArray<AllowRule> | undefined
  readonly maxSegments: number
  readonly maxBatch: number
  readonly confirm: Confirm
  /** The address for status updates of every SMS. */
  readonly webhookUrl: string | undefined
  /** The limits that all callers share. */
  readonly limits: ReadonlyArray<SendLimit>
  /** The share of these limits that one caller may use, in percent. */
  readonly callerShare: number | undefined
}

/** Whether a first send needs an approval. */
export const isAsked = ({ confirm }: Rules, canBeAsked: boolean): boolean =>
  confirm === "require" || (confirm === "auto" && canBeAsked)

/** The limits of all callers together, and those of this one. */
export const limitsFor = (
  { callerShare, limits }: Rules,
  { principal }: Identity
): ReadonlyArray<SendLimit> =>
  callerShare === undefined
    ? limits
    : [
        ...limits,
        ...limits.map((each): SendLimit => ({
          ...each,
          scope: principal === everyone ? `caller ${principal}` : principal,
          limit: Math.max(1, Math.floor((each.limit * callerShare) / 100)),
          option: "max-caller-share"
        }))
      ]
