/** What a run has given to its journal, and tells if the journal does not have it. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { SendManyEvent } from "../model/Campaign.ts"
import type { JournalError } from "../model/Errors.ts"
import type { Settlement } from "../model/Send.ts"
import type { Claimed } from "../sends/Campaigns.ts"
import type { WholeJournal } from "../sends/SendJournal.ts"
import { monotonicMillis } from "./Pace.ts"
import type { WaitForJournal } from "./WaitForJournal.ts"

/** A run counts its rows in the journal each second, if that takes a fiftieth of its time at most. */
const countEachMillis = 1000
const countShare = 1 / 50

/** To count for longer holds up the requests in flight: that is left to the end of the run. */
const longestCountMillis = 100

interface Run {
  readonly journal: WholeJournal
  readonly campaign: string
  readonly clock: Clock.Clock
  readonly emit: (event: SendManyEvent) => Effect.Effect<void>
  readonly waitForJournal: WaitForJournal
  readonly inFlight: () => number
  /** The requests that wait for their settlement. */
  readonly ended: ReadonlyArray<Settlement>
  /** Lets no request start any more. */
  readonly stop: () => void
}

const random = () => randomBytes(6).toString("base64url")

const storedOf = (settlements: ReadonlyArray<Settlement>): number =>
  settlements.filter(({ stored }) => stored.state !== "nothing").length

export const make = ({
  campaign,
  clock,
  emit,
  ended,
  inFlight,
  journal,
  stop,
  waitForJournal
}: Run) => {
  /** Its tickets begin with it. */
  const ticketPrefix = random()
  /** How many rows this run has settled in the journal. */
  let storedRows = 0
  let isReplaced = false
  /** How many rows are known to be missing. */
  let missing = 0
  /** Whether all that is missing was counted. */
  let isCounted = false
  let countAt = monotonicMillis(clock) + countEachMillis

  /** Whether rows can be missing of which nobody knows. */
  const mayCount = () => missing === 0 && storedRows > 0

  /** A claim proves one at least, which a settlement or the count can find, too. */
  const atLeast = () => (isReplaced ? Math.max(1, missing) : 0)

  /** What it claims from now on does not start, and is given back. */
  const onMissing = (more: number) => {
    isReplaced = true
    missing += more
    stop()
    return emit({ _tag: "JournalReplaced", missing: atLeast() })
  }

  return {
    ticket: () => ticketPrefix + random(),
    missing: atLeast,
    mayCount,
    isDue: () => mayCount() && monotonicMillis(clock) >= countAt,
    /**
     * Counts the rows of this run in the journal: an older copy that is written over the file in a commit can hide what is
     * missing from all that touch only the last rows.
     */
    count: Effect.gen(function* () {
      const expected = storedRows + ended.length + inFlight()
      const began = monotonicMillis(clock)
      const found = yield* waitForJournal(
        journal.campaigns.missing(campaign, ticketPrefix, expected)
      )
      const now = monotonicMillis(clock)
      const took = now - began
      countAt =
        took > longestCountMillis ? Infinity : now + Math.max(countEachMillis, took / countShare)
      isCounted = found > 0
      if (isCounted) yield* onMissing(found)
    }),
    /** Counts what a write has settled, and tells what it has found missing. */
    onWritten: (
      settled: ReadonlyArray<Settlement>,
      { isOlderCopy, missing: found }: Pick<Claimed, "isOlderCopy" | "missing">
    ): Effect.Effect<void> => {
      storedRows += storedOf(settled)
      // What was in flight when rows were counted is in that count.
      const more = isCounted ? 0 : found
      return more > 0 || (isOlderCopy && !isReplaced) ? onMissing(more) : Effect.void
    },
    /** Of requests in flight, nobody hears the end any more. */
    tellLost:
      (unwritten: ReadonlyArray<Settlement>) =>
      (error: JournalError): Effect.Effect<void> => {
        const rows = storedOf(unwritten) + storedOf(ended) + inFlight()
        return rows === 0 ? Effect.void : emit({ _tag: "OutcomesLost", rows, error })
      }
  }
}
