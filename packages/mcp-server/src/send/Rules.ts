/** What the operator allows, and the words of a limit that is reached. */
import type { LimitReached } from "@messaging-topup/journal/internal"
import * as Duration from "effect/Duration"
import type { AllowRule } from "../AllowList.ts"
import { nothingSent, operatorAllows, Refusal, smallerCall } from "./Refusal.ts"
import { sentences } from "../Sentences.ts"

export interface Rules {
  readonly canSend: boolean
  /** Without a list, a person may approve everyone. */
  readonly allowList: ReadonlyArray<AllowRule> | undefined
  readonly isSandbox: boolean
  readonly maxSegments: number
  readonly maxBatch: number
  readonly maxSendsPerHour: number
  /** Which sends a person is asked about: auto, all where the client can ask; require, all; off, second sends. */
  readonly confirm: "auto" | "require" | "off"
  /** Whether a person may be asked by a card that the host shows. */
  readonly cards: boolean
  /** The address for status updates of every SMS. */
  readonly webhookUrl: string | undefined
}

/**
 * By whose approval first sends go out, whose text does not look unfilled: of a person who is asked, of nobody, of the
 * list of allowed numbers, or by none, so that nothing is sent. What is sent `again` always needs a person.
 */
export const approvalOf = ({ allowList, confirm, isSandbox }: Rules, canAsk: boolean) => {
  if (confirm === "off") return "nobody"
  if (canAsk) return "person"
  if (confirm === "require") return "none"
  if (isSandbox) return "nobody"
  return allowList === undefined ? "none" : "list"
}

const waitForYes = "after telling, wait for a yes."

const toldOf: Record<ReturnType<typeof approvalOf>, string> = {
  person: "Tell, then call: the client asks the person for approval.",
  nobody: `This client cannot ask a person: ${waitForYes} With again, nothing is sent.`,
  list: `This client cannot ask a person: ${waitForYes} Only listed numbers get an SMS, a batch only those listed one by one. With again, nothing is sent.`,
  none: "This client cannot ask a person, so nothing is sent: tell the person, and do not call."
}

/**
 * Who is asked before a first send, for a model. Where nobody may be asked, only a reply can stop what the model tells
 * and sends in one turn. `canAsk` is undefined if it is not known.
 */
export const whoIsAsked = (rules: Rules, canAsk: boolean | undefined): string => {
  if (approvalOf(rules, true) === "nobody" && canAsk !== false) {
    return `A person is asked only about second sends and texts that look unfilled; ${waitForYes}`
  }
  const without = approvalOf(rules, false)
  if (canAsk === undefined && without !== "none") {
    return `A person approves, where the client can ask; ${waitForYes}`
  }
  return toldOf[canAsk === false ? without : "person"]
}

/** The limits as they are now, for a model. */
export const limitsText = ({ maxSegments, maxSendsPerHour }: Rules): string =>
  `Limits: ${maxSegments} segments an SMS, ${maxSendsPerHour} SMS an hour.`

/** When a call goes out that alone, or now, is too much. */
const whenOf = ({ retryAfter }: LimitReached): string => {
  if (retryAfter === undefined) return "and this call alone is more"
  const minutes = Math.ceil(Duration.toMinutes(retryAfter))
  return `and the call fits in ${minutes === 1 ? "a minute" : `${minutes} minutes`}`
}

/** `rows` is the number of the SMS of the call. */
export const limitReached = (reached: LimitReached, rows: number): Refusal => {
  const { max, retryAfter, used } = reached
  const left = max - used
  const isPartly = rows > 1 && left > 0
  return new Refusal({
    code: "limit_reached",
    ...nothingSent(
      `at most ${max} SMS go out in an hour for all callers together, ${whenOf(reached)}${isPartly ? `: ${left} of its SMS would fit now` : ""}`
    ),
    next: sentences(
      "Tell the person.",
      isPartly ? smallerCall : "",
      operatorAllows("max-sends-per-hour")
    ),
    concernsAll: true,
    details: {
      limit: max,
      retry_after_seconds: retryAfter && Math.ceil(Duration.toSeconds(retryAfter))
    }
  })
}
