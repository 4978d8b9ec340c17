/**
 * `resolve-unknown`: applies a person's decision to rows of unknown outcome.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import type { Row } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ListFile from "../../input/ListFile.ts"
import * as Source from "../../input/Source.ts"
import { resolveUnknown as resolve, results } from "../../rows/Results.ts"
import { status } from "../../rows/State.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { exitCodes } from "../ExitCodes.ts"
import type { decision } from "../Flags.ts"
import { counted, note, report } from "../Output.ts"
import { withJournal } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

export interface ResolveUnknownInput extends CampaignInput, Values<typeof decision> {
  readonly yes: boolean
}

interface Chosen {
  readonly keys: ReadonlySet<string> | undefined
  readonly lines: ReadonlySet<number> | undefined
  readonly reasons: ReadonlySet<string> | undefined
  /** The keys of a file. They may also be keys of rows with another state. */
  readonly listed: ReadonlySet<string> | undefined
}

const setOf = <A>(values: ReadonlyArray<A> | undefined): ReadonlySet<A> | undefined =>
  values === undefined ? undefined : new Set(values)

const keysOfFile = (file: string) =>
  Effect.map(
    Stream.runCollect(ListFile.read(Source.file(file), "key")),
    (listed) => new Set(listed.flat().map(({ value }) => value))
  )

const chosenBy = Effect.fnUntraced(function* (input: ResolveUnknownInput) {
  const lines = input.line?.map(Number)
  if (lines?.some((line) => !Number.isSafeInteger(line) || line < 1) === true) {
    return yield* new UsageError({ problem: "--line: give a whole number from 1" })
  }
  const chosen: Chosen = {
    keys: setOf(input.key),
    lines: setOf(lines),
    reasons: setOf(input.reason),
    listed: input.file === undefined ? undefined : yield* keysOfFile(input.file)
  }
  return chosen
})

/** Whether a row fits every option that was given. */
const isChosen = ({ keys, lines, listed, reasons }: Chosen, { info, key, line }: Row): boolean =>
  keys?.has(key) !== false &&
  listed?.has(key) !== false &&
  (lines === undefined || (line !== undefined && lines.has(line))) &&
  (reasons === undefined || (info !== undefined && reasons.has(info)))

/** How many of the keys and lines that were given have no chosen row. */
const withoutRow = ({ keys, lines }: Chosen, rows: ReadonlyArray<Row>): number => {
  const found = new Set(rows.flatMap(({ key, line }) => [key, line]))
  return [...(keys ?? []), ...(lines ?? [])].filter((given) => !found.has(given)).length
}

const question = (count: number): string =>
  `Resend ${counted(count, "row")} of unknown outcome? They may have gone out: their recipients may get a second SMS.`

export const resolveUnknown = Effect.fnUntraced(function* (input: ResolveUnknownInput) {
  const { as, campaign, yes } = input
  const asks = as === "resend" && !yes
  if (asks) yield* requireTerminal("nothing was changed")
  const chosen = yield* chosenBy(input)
  return yield* withJournal(
    input,
    Effect.gen(function* () {
      // Fails if the campaign does not exist.
      yield* status(campaign)
      const unknown = results(campaign, { state: "unknown" })
      const rows = yield* Stream.runCollect(Stream.filter(unknown, (row) => isChosen(chosen, row)))
      if (asks && rows.length > 0 && !(yield* confirm(question(rows.length)))) {
        yield* note("Nothing was changed")
        return exitCodes.failed
      }
      const { refused, rows: resolved } = yield* resolve(campaign, as, {
        keys: rows.map(({ key }) => key)
      })
      yield* report(
        { event: "Resolved", as, rows: resolved, refused: refused.length },
        as === "resend"
          ? `${counted(resolved, "row")} pending again: resume the campaign`
          : `${counted(resolved, "row")} now ${as}`
      )
      if (refused.length > 0) {
        yield* note(
          `${counted(refused.length, "row")} not resent: a process may still start their requests. Repeat this in 10 seconds`
        )
      }
      const left = withoutRow(chosen, rows)
      if (left === 0) return refused.length > 0 ? exitCodes.failed : exitCodes.done
      const things = chosen.lines === undefined ? "key" : "key or line"
      yield* note(
        `${left === 1 ? `1 ${things}` : `${left} ${things.replace(/(key|line)/g, "$1s")}`} without a row of unknown outcome: nothing changed there`
      )
      return exitCodes.failed
    })
  )
})
