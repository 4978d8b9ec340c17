/** What the operator allows, and the identity of a caller. */
import type { Limit } from "@messaging-topup/journal/internal"
import * as Duration from "effect/Duration"
import type { Name } from "../Options.ts"
import type { AllowRule } from "../AllowList.ts"

/** The identity of a caller. */
export interface Identity {
  /**
   * `local` over stdio. Over HTTP `key:<name>`, `oauth:<issuer>|<subject>`, `oauth-client:<issuer>|<client>` or
   * `anonymous`.
   */
  readonly id: string
  /** The client of an OAuth token. */
  readonly clientId?: string
}

/** Which sends a person is asked about: auto, all where the client can ask; require, all; off, second sends. */
export type Confirm = "auto" | "require" | "off"

export interface Rules {
  readonly canSend: boolean
  /** Without a list, a person may approve everyone. */
  readonly allowList: ReadonlyArray<AllowRule> | undefined
  /** Whether a first send may go out that nobody approves: the operator listed its recipient, or it is the sandbox. */
  readonly isListed: boolean
  readonly maxSegments: number
  readonly maxBatch: number
  readonly maxSendsPerHour: number
  readonly maxSegmentsPerDay: number
  /** The share of these two limits that each caller may use, in percent. */
  readonly callerShare: number | undefined
  readonly duplicateWindow: Duration.Duration
  readonly confirm: Confirm
  /** Whether a person may be asked by a card that the host shows. */
  readonly cards: boolean
  /** The address for status updates of every SMS. */
  readonly webhookUrl: string | undefined
}

const hour = Duration.hours(1)

const shareOf = (limit: Limit, percent: number): Limit => ({
  ...limit,
  of: "caller",
  max: Math.max(1, Math.floor((limit.max * percent) / 100))
})

/** The limits of all callers together, and those of one. */
export const limitsOf = ({
  callerShare,
  maxSegmentsPerDay,
  maxSendsPerHour
}: Rules): ReadonlyArray<Limit> => {
  const shared: ReadonlyArray<Limit> = [
    { counts: "messages", of: "everyone", max: maxSendsPerHour, per: hour },
    { counts: "segments", of: "everyone", max: maxSegmentsPerDay, per: Duration.days(1) }
  ]
  return callerShare === undefined
    ? shared
    : [...shared, ...shared.map((limit) => shareOf(limit, callerShare))]
}

/** Who is asked before a first send, for a model: `again` always needs a person. */
export const whoIsAsked = ({ confirm, isListed }: Rules): string => {
  if (confirm === "off") return "No person is asked."
  return confirm === "auto" && isListed
    ? "A person approves, where the client can ask."
    : "A person approves, or nothing is sent."
}

/** The limits as they are now, for a model. */
export const limitsText = (rules: Rules): string => {
  const { callerShare, maxSegments, maxSegmentsPerDay, maxSendsPerHour } = rules
  const share = callerShare === undefined ? "" : `, ${callerShare} % of it for this caller`
  return `Limits: ${maxSegments} segments an SMS, ${maxSendsPerHour} SMS an hour, ${maxSegmentsPerDay} segments a day${share}.`
}

/** The option that sets a limit. */
export const optionOf = ({ counts, of }: Limit): Name => {
  if (of === "caller") return "max-caller-share"
  return counts === "messages" ? "max-sends-per-hour" : "max-segments-per-day"
}
