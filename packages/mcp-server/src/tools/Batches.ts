/** What became of each SMS of a batch, for who has only its id. */
import type { SendOutcome } from "@messaging-topup/core"
import { type KnownSend, states } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import type { Identity } from "../send/Caller.ts"
import { Journal } from "../send/Journal.ts"
import { untilThen } from "../send/Standing.ts"
import { isoOf, plural } from "../Sentences.ts"

/** How many SMS the batch had; undefined if it is no id of one. */
export const sizeOf = (batch: string): number | undefined => {
  const size = /^([1-9]\d{0,3})-[\w-]{22}$/.exec(batch)?.[1]
  return size === undefined ? undefined : Number(size)
}

export const hasOutcome =
  (outcome: SendOutcome) =>
  ({ state }: KnownSend): boolean =>
    states[state].outcome === outcome

/** Whether it went out, or may have. */
export const mayBeOut = (send: KnownSend): boolean => !hasOutcome("not-sent")(send)

/** The attempt that says what became of an SMS: one that went out, else one that may have, and of those the last. */
const lastOf = (attempts: ReadonlyArray<KnownSend>): ReadonlyArray<KnownSend> => {
  const last =
    attempts.findLast(hasOutcome("sent")) ??
    attempts.findLast(hasOutcome("unknown")) ??
    attempts.at(-1)
  return last === undefined ? [] : [last]
}

/** The same call on another day has the same batch: what did not count any more at its last send is not of it. */
const byAge = (attempts: ReadonlyArray<KnownSend>, batch: string) => {
  const own = attempts.filter((each) => each.batch === batch)
  const last = Math.max(...own.map(({ claimedAt }) => claimedAt))
  const keys = new Set(own.map(({ key }) => key))
  const counts = ({ countsUntil = Infinity }: KnownSend) => countsUntil > last
  const all = attempts.filter(({ key }) => keys.has(key))
  return { counting: all.filter(counts), old: all.filter((each) => !counts(each)) }
}

/** What the journal knows of a batch, whichever call sent it. */
export interface Known {
  /** Of each SMS that has a send, the attempt that says what became of it. */
  readonly last: ReadonlyArray<KnownSend>
  /** The other attempts of these SMS, of which one may have gone out, too. */
  readonly others: ReadonlyArray<KnownSend>
  /** Those of an earlier day, which do not count for the batch. */
  readonly old: ReadonlyArray<KnownSend>
}

export const isUnknown = ({ state }: KnownSend): boolean => state === "unknown"

export const read = Effect.fnUntraced(function* (
  batches: ReadonlyArray<string>,
  { id: caller }: Identity
) {
  const { use } = yield* Journal
  const attempts =
    batches.length === 0 ? [] : yield* use(({ server }) => server.ofBatches(caller, batches))
  return new Map(
    batches.map((batch): [string, Known] => {
      const { counting, old } = byAge(attempts, batch)
      const byKey = Map.groupBy(counting, ({ key }) => key)
      const last = [...byKey.values()].flatMap(lastOf)
      return [batch, { last, others: counting.filter((each) => !last.includes(each)), old }]
    })
  )
})

/** Says what the same call does, until the first of what was sent goes out again. */
export const windowOf = (
  { sent, total }: { readonly sent: number; readonly total: number },
  end: number | undefined,
  canDecide: boolean
): string =>
  end === undefined
    ? ""
    : untilThen(
        end,
        canDecide,
        sent === total ? "sends nothing" : "sends only what was not sent",
        "sends again what was sent"
      )

/** What to do about sends in flight, if there are any: the process of one may have ended. */
export const inFlightAdvice = (sends: ReadonlyArray<KnownSend>): string => {
  const inFlight = sends.filter(({ state }) => state === "in-flight")
  if (inFlight.length === 0) return ""
  const until = isoOf(Math.max(...inFlight.map(({ staleAt }) => staleAt)))
  return `${plural(inFlight.length, "send")} in flight: one whose process has ended becomes unknown by ${until}, so look again then.`
}

/** Why SMS may have no send of their batch: the journal does not know. */
export const whyWithoutSend = (which: string): string =>
  `another call sent ${which}, or may have; or nothing started, or was refused for the account or by a busy service`

/** What is said of SMS that have no send of their batch. */
export const withoutSend = (count: number): string =>
  `of ${count} this batch has no send: ${whyWithoutSend(count === 1 ? "it" : "them")}`
