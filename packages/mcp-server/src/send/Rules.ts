/** What the operator allows, and the words of a limit that is reached. */
import type { Limit, Usage } from "@messaging-topup/journal/internal"
import * as Duration from "effect/Duration"
import type { Name } from "../Options.ts"
import type { AllowRule } from "../AllowList.ts"
import { nothingSent, operatorAllows, Refusal, smallerCall } from "./Refusal.ts"
import { plural, sentences } from "../Sentences.ts"

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
  /** Which sends a person is asked about: auto, all where the client can ask; require, all; off, second sends. */
  readonly confirm: "auto" | "require" | "off"
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

/**
 * Who is asked before a first send, for a model: `again` always needs a person. Where nobody may be asked, only a reply
 * can stop what the model tells and sends in one turn.
 */
export const whoIsAsked = ({ confirm, isListed }: Rules): string => {
  if (confirm === "off") return "No person is asked; after telling, wait for a reply."
  return confirm === "auto" && isListed
    ? "A person approves, where the client can ask; after telling, wait for a reply."
    : "A person approves, or nothing is sent; telling is enough."
}

/** The limits as they are now, for a model. */
export const limitsText = (rules: Rules): string => {
  const { callerShare, maxSegments, maxSegmentsPerDay, maxSendsPerHour } = rules
  const share = callerShare === undefined ? "" : `, ${callerShare} % of it for this caller`
  return `Limits: ${maxSegments} segments an SMS, ${maxSendsPerHour} SMS an hour, ${maxSegmentsPerDay} segments a day${share}.`
}

/** The option that sets a limit. */
const optionOf = ({ counts, of }: Limit): Name => {
  if (of === "caller") return "max-caller-share"
  return counts === "messages" ? "max-sends-per-hour" : "max-segments-per-day"
}

const whole = { messages: "SMS", segments: "segments" } as const

/** A wait in minutes, and a long one in hours. */
const waitOf = (wait: Duration.Duration): string =>
  Duration.isLessThan(wait, Duration.hours(2))
    ? `${Math.ceil(Duration.toMinutes(wait))} min`
    : `${Math.ceil(Duration.toHours(wait))} hours`

/** When a call goes out that alone, or now, is too much. */
const whenOf = ({ retryAfter }: Usage): string =>
  retryAfter === undefined
    ? "and this call alone is more"
    : `and it can go out in ${waitOf(retryAfter)}`

/** `rows` is the number of the SMS of the call. */
export const limitReached = (usage: Usage, rows: number): Refusal => {
  const { limit, retryAfter, used } = usage
  const left = limit.max - used
  const isPartly = rows > 1 && left > 0
  const now = isPartly ? `: ${left} of its ${whole[limit.counts]} would fit now` : ""
  const whose = limit.of === "everyone" ? "for all callers together" : "for this caller"
  const time = limit.counts === "messages" ? "60 minutes" : "24 hours"
  return new Refusal({
    code: "limit_reached",
    ...nothingSent(
      `at most ${limit.counts === "messages" ? `${limit.max} SMS` : plural(limit.max, "segment")} go out in ${time} ${whose}, ${whenOf(usage)}${now}`
    ),
    next: sentences(
      "Tell the person.",
      isPartly ? smallerCall : "",
      operatorAllows(optionOf(limit))
    ),
    concernsAll: true,
    details: {
      limit: limit.max,
      limit_of: limit.of === "everyone" ? "all_callers" : "this_caller",
      ...(retryAfter === undefined
        ? {}
        : { retry_after_seconds: Math.ceil(Duration.toSeconds(retryAfter)) })
    }
  })
}
