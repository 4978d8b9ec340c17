/**
 * `run`: loads a file of rows, and sends them.
 */
import { CampaignJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { statSync } from "node:fs"
import { basename, extname } from "node:path"
import { status } from "../../State.ts"
import type { Totals } from "../../input/Totals.ts"
import { canAsk, confirm } from "../Confirm.ts"
import { exitCodes } from "../ExitCodes.ts"
import { CannotRun, UsageError } from "../Failure.ts"
import * as Loading from "../Loading.ts"
import { note, numberOf } from "../Output.ts"
import * as Queue from "../Queue.ts"
import * as Reading from "../Reading.ts"
import * as Sending from "../Sending.ts"
import { type SendFlags, withServices } from "../Services.ts"

export interface RunInput extends Reading.FileFlags, SendFlags {
  readonly campaign: Option.Option<string>
  readonly yes: boolean
  readonly queue: boolean
}

const campaignOf = ({ campaign, file }: RunInput): Effect.Effect<string, UsageError> => {
  if (Option.isSome(campaign)) return Effect.succeed(campaign.value)
  return file === "-"
    ? Effect.fail(new UsageError({ problem: "stdin has no name: give --campaign" }))
    : Effect.succeed(basename(file, extname(file)))
}

const canBeAsked = (input: RunInput) => {
  if (input.yes) return Effect.void
  return Reading.isStdin(input)
    ? Effect.fail(
        new UsageError({
          problem:
            "The rows come from stdin, so nobody can be asked: give --yes to send without being asked"
        })
      )
    : canAsk("nothing was sent")
}

/** Of the file as it is now. */
const versionOf = ({ file }: RunInput) =>
  Effect.sync(() => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat === undefined ? undefined : `${stat.ino} ${stat.size} ${stat.mtimeMs}`
  })

/** Shows what would be sent, and asks. Returns whether it is. */
const isWanted = Effect.fnUntraced(function* (campaign: string, totals: Totals, sandbox: boolean) {
  const known = yield* Effect.option(status(campaign))
  if (Option.isSome(known)) {
    const { accepted, pending, rejected, unknown } = known.value.counts
    yield* note(
      `The journal has campaign ${JSON.stringify(campaign)} already: accepted ${numberOf(accepted)}, pending ${numberOf(pending)}, rejected ${numberOf(rejected)}, unknown ${numberOf(unknown)}. Rows that it knows are not sent again; pending ones are sent too`
    )
  }
  const count = numberOf(totals.rows - totals.same_key)
  return yield* confirm(`Send ${count} SMS${sandbox ? " to the sandbox" : ""}?`)
})

/** Loads the rows, after a question where one is wanted. Undefined: the reply was no. */
const loaded = Effect.fnUntraced(function* (
  input: RunInput,
  campaign: string,
  reading: Reading.Reading
) {
  if (input.yes) {
    const totals = yield* Loading.load({ campaign, reading, isListing: true })
    yield* Reading.reportTotals(reading.source.name, totals)
    return totals
  }
  const before = yield* versionOf(input)
  const totals = yield* Reading.totalsOf(reading)
  yield* Reading.reportTotals(reading.source.name, totals)
  if (totals.rows === 0) return totals
  if (!(yield* isWanted(campaign, totals, input.sandbox))) return undefined
  const inJournal = yield* Loading.load({ campaign, reading, isListing: false })
  if ((yield* versionOf(input)) === before) return inJournal
  return yield* new CannotRun({
    problem: `${reading.source.name}: it was changed after it was shown, and nothing was sent: its rows are in the journal; run again, or cancel`
  })
})

export const run = Effect.fnUntraced(function* (input: RunInput) {
  yield* canBeAsked(input)
  const campaign = yield* campaignOf(input)
  const queue = yield* Queue.wanted(input)
  const reading = yield* Reading.make(input)
  return yield* withServices(
    { ...input, campaign, mustExist: false },
    ({ id, options, resumeLine }) =>
      Effect.gen(function* () {
        const campaigns = yield* CampaignJournal
        if ((yield* campaigns.state(id)) === "cancelled") {
          return yield* new CannotRun({
            problem: `Campaign ${JSON.stringify(campaign)} is cancelled, and nothing was sent: give another --campaign`
          })
        }
        const totals = yield* Effect.onInterrupt(loaded(input, id, reading), () =>
          note("Stopped, and nothing was sent. Run it again: what is loaded already stays as it is")
        )
        if (totals === undefined) {
          yield* note("Nothing was sent")
          return exitCodes.failed
        }
        // With no row at all there may be no campaign.
        if (totals.rows === 0) {
          yield* note("There is no row to send")
          return totals.invalid > 0 ? exitCodes.notAllAccepted : exitCodes.done
        }
        if (queue !== undefined) return yield* Queue.handOver(id, queue)
        return yield* Sending.send({ campaign: id, options, invalid: totals.invalid, resumeLine })
      })
  )
})
