/**
 * The rows that the options of a person's decision choose: by line, key, reason or file.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import type { Row, RowState } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as ListFile from "../input/ListFile.ts"
import * as Source from "../input/Source.ts"
import { hasReason } from "../rows/Lookup.ts"
import { results } from "../rows/Results.ts"
import type * as Flags from "./Flags.ts"
import { counted, numberOf } from "../report/Format.ts"
import { note } from "./Output.ts"

export interface Chosen {
  readonly keys: ReadonlySet<string> | undefined
  readonly lines: ReadonlySet<number> | undefined
  readonly reasons: ReadonlyArray<string> | undefined
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

/** Reads the options. Call it before any work is done. */
export const make = Effect.fnUntraced(function* (input: Values<typeof Flags.chosen>) {
  const lines = input.line?.map(Number)
  if (lines?.some((line) => !Number.isSafeInteger(line) || line < 1) === true) {
    return yield* new UsageError({ problem: "--line: give a whole number from 1" })
  }
  const chosen: Chosen = {
    keys: setOf(input.key),
    lines: setOf(lines),
    reasons: input.reason,
    listed: input.file === undefined ? undefined : yield* keysOfFile(input.file)
  }
  return chosen
})

/** Without its text, because there may be very many. */
export type ChosenRow = Pick<Row, "info" | "key" | "line">

/** Whether a row fits every option that was given. */
const isChosen = ({ keys, lines, listed, reasons }: Chosen, row: ChosenRow): boolean =>
  keys?.has(row.key) !== false &&
  listed?.has(row.key) !== false &&
  (lines === undefined || (row.line !== undefined && lines.has(row.line))) &&
  (reasons === undefined || reasons.some((reason) => hasReason(row, reason)))

/** Returns the chosen rows of a state. */
export const read = (chosen: Chosen, campaign: string, state: RowState) =>
  results(campaign, { state }).pipe(
    Stream.map((row): ChosenRow => Struct.pick(row, ["info", "key", "line"])),
    Stream.filter((row) => isChosen(chosen, row)),
    Stream.runCollect
  )

export const noteRefused = (refused: number) =>
  refused === 0
    ? Effect.void
    : note(
        `${counted(refused, "row")} not changed: a process may still start their requests. Repeat this in 10 seconds`
      )

const named = (count: number, thing: string): string =>
  count === 1 ? `1 ${thing}` : `${numberOf(count)} ${thing.replace(/key|line|reason/g, "$&s")}`

/**
 * Says how many of the given keys, lines and reasons chose no row of this kind: they may be misspelled.
 * Returns whether there are any.
 */
export const noteUnused = Effect.fnUntraced(function* (
  { keys, lines, reasons }: Chosen,
  rows: ReadonlyArray<ChosenRow>,
  kind: string
) {
  const found = new Set(rows.flatMap(({ key, line }) => [key, line]))
  const unused =
    [...(keys ?? []), ...(lines ?? [])].filter((given) => !found.has(given)).length +
    (reasons ?? []).filter((reason) => !rows.some((row) => hasReason(row, reason))).length
  if (unused === 0) return false
  const things = [
    ["key", keys],
    ["line", lines],
    ["reason", reasons]
  ] as const
  const given = things.flatMap(([thing, values]) => (values === undefined ? [] : [thing]))
  yield* note(`${named(unused, given.join(" or "))} without ${kind}: nothing changed there`)
  return true
})
