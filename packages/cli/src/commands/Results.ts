/** `results`: every row of a file, with what became of it. */
import {
  counted,
  counter,
  exitCodes,
  type Invocation,
  note,
  numberOf,
  on,
  tableOf,
  type Values
} from "@messaging-topup/command"
import { MessagingTopup } from "@messaging-topup/core"
import { ownRecords } from "@messaging-topup/core/internal"
import type { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { stoppable } from "../CommandFile.ts"
import { allOf, type CommandError } from "../CommandError.ts"
import { ownColumns } from "../input/Header.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import { noteUnlisted } from "../journal/Unlisted.ts"
import { out, requireTarget, writeTo } from "../results/PrivateFile.ts"
import { type RowOutcome, rowOutcomes } from "../results/RowOutcome.ts"
import * as MessagingService from "../run/MessagingService.ts"
import { asResult, invalidRow, reasonOf, resultColumns } from "../words/ResultWords.ts"

const options = {
  ...List.needed,
  statuses: on("Asks the service for the status of each sent SMS; it is stored nowhere"),
  ...out,
  ...List.reading,
  ...Campaign.named,
  ...ChosenJournal.common
}

type Flags = Values<typeof options>

/** Makes lines of CSV. */
const lineWith =
  (delimiter: string) =>
  (cells: ReadonlyArray<string>): string =>
    cells
      .map((text) => {
        const safe = asResult(text)
        return /["\r\n]/.test(safe) || safe.includes(delimiter)
          ? `"${safe.replaceAll('"', '""')}"`
          : safe
      })
      .join(delimiter)

/** What is added without `--statuses`. */
const addedColumns = Struct.keys(resultColumns).filter((name) => name !== "status")

/** Its header has the added columns, also after a spreadsheet has saved it. */
const written = {
  command: "results",
  example: "results.csv",
  mark: new RegExp(addedColumns.join('[",;\\t|]+'))
}

/** By it, a spreadsheet knows UTF-8. */
const byteOrderMark = "\ufeff"

/** Reads that run at the same time. The client itself slows down if the service is busy. */
const concurrentReads = 10

/** What the service says of an SMS now. Fails with the reason why that could not be read. */
type ReadStatus = (messageId: string) => Effect.Effect<string, string, Invocation>

const statusFrom =
  ({ getSmsStatus }: MessagingTopup["Service"]): ReadStatus =>
  (messageId) =>
    Effect.matchEffect(getSmsStatus(messageId), {
      onFailure: ({ message }) => Effect.flatMap(MessagingService.asRead(message), Effect.fail),
      onSuccess: (response) => {
        const own = ownRecords(messageId, response)
        return own.length === 0
          ? Effect.fail("The service has no record of this SMS")
          : Effect.succeed(own.map(({ status }) => status).join(", "))
      }
    })

const write = Effect.fnUntraced(function* (
  list: List.List,
  campaign: string,
  flags: Flags,
  readStatus: ReadStatus | undefined
) {
  const target = flags.out
  const counts = new Map<string, number>()
  const unread = new Array<string>()
  const countRows = yield* counter(readStatus !== undefined ? "statuses read" : "rows written")
  const added = readStatus === undefined ? addedColumns : Struct.keys(resultColumns)
  const columns = ownColumns(list.header, flags)
  const csvLine = lineWith(list.delimiter)
  const lineOf = (result: RowOutcome, statuses: ReadonlyArray<string> = []) => {
    const { isInvalid, outcome, row } = result
    const own = columns.map((index) => row.given[index] ?? "")
    countRows(readStatus === undefined ? 1 : statuses.length)
    // One that went out before counts as both.
    for (const word of new Set([outcome, ...(isInvalid ? [invalidRow] : [])])) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    return csvLine([...own, ...added.map((name) => resultColumns[name]({ ...result, statuses }))])
  }

  const withStatus = (readStatusOf: ReadStatus) =>
    Effect.fnUntraced(function* (result: RowOutcome) {
      const [statuses, problems] = yield* Effect.partition(result.messageIds ?? [], readStatusOf)
      unread.push(...problems)
      const reasons = problems.map((problem) => `the status could not be read: ${problem}`)
      return lineOf({ ...result, reason: reasonOf(result.reason, ...reasons) }, statuses)
    })

  // A program reads the results of its own rows, and takes the mark for a part of the first name.
  const isOfProgram = list.isPipe && target === undefined
  const mark = list.needsMark && !isOfProgram ? byteOrderMark : ""
  const head = [...columns.map((index) => list.header[index] ?? ""), ...added]
  const outcomes = rowOutcomes(list, campaign)
  // With an effect for each row, each would be a write of its own.
  const lines =
    readStatus === undefined
      ? Stream.map(outcomes, (result) => lineOf(result))
      : Stream.mapEffect(outcomes, withStatus(readStatus), { concurrency: concurrentReads })
  yield* writeTo(target, (writeLine) =>
    Effect.andThen(
      writeLine(mark + csvLine(head)),
      Stream.runForEachArray(lines, (some) => writeLine(some.join("\n")))
    )
  )
  const shown = [...counts].map(([outcome, count]) => [`  ${outcome}`, numberOf(count)])
  if (target !== undefined)
    yield* note(`${target}, of the rows of this list:\n${tableOf(shown, "right")}`)
  yield* noteUnlisted(campaign, list, flags, counts.has(invalidRow))
  const [problem, ...others] = new Set(unread)
  if (problem === undefined) return exitCodes.done
  const more = others.length === 0 ? "" : ". Others for another reason: see their rows"
  yield* note(`${counted(unread.length, "status")} could not be read: ${problem}${more}`)
  return exitCodes.statusesUnread
}, Effect.scoped)

const results = Effect.fnUntraced(function* (flags: Flags) {
  const { campaign, list } = yield* allOf({
    target: requireTarget(flags, written),
    campaign: Campaign.nameOf(flags),
    list: List.make(flags, ChosenJournal.argumentsLacking(flags))
  })
  const writing = <R>(
    before: Effect.Effect<void, CommandError, R | SendJournal>,
    readStatus?: ReadStatus
  ) => {
    const reading = ChosenJournal.reading(write(list, campaign, flags, readStatus))
    return ChosenJournal.withCampaign(
      { campaign, flags, list },
      "reads",
      Effect.andThen(before, reading)
    )
  }
  if (!flags.statuses) return yield* writing(Effect.void)
  // Another service does not know the ids.
  const isThere = ChosenJournal.requireAddress(yield* ChosenJournal.choose(flags))
  return yield* Effect.flatMap(MessagingTopup, (service) =>
    writing(isThere, statusFrom(service))
  ).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(MessagingService.real(concurrentReads))
  )
})

export const command = stoppable<Flags>({
  usage: "list.csv [options]",
  details: `It has the file's own columns and delimiter, then ${addedColumns.join(", ")}, and status with --statuses. A cell that a spreadsheet would read as a formula begins with '`,
  options,
  exits: ["statusesUnread"],
  run: results
})
