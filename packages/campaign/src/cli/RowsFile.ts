/**
 * The file of rows that the options name, and its totals.
 */
import { UsageError } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { basename, extname } from "node:path"
import type { InputError } from "../input/InputError.ts"
import type { Normalize } from "../input/Recipient.ts"
import type { FileRow, InvalidRow } from "../input/Row.ts"
import * as RowReader from "../input/RowReader.ts"
import * as Source from "../input/Source.ts"
import * as Totals from "../input/Totals.ts"
import { Invocation } from "./Invocation.ts"
import { counted, note, report, table } from "./Output.ts"

export interface FileFlags {
  readonly file: string
  readonly format: RowReader.Format | undefined
  readonly delimiter: string
  readonly ignoreColumns: boolean
  readonly country: string | undefined
}

export const isStdin = ({ file }: FileFlags): boolean => file === "-"

const extensions: Readonly<Record<string, RowReader.Format>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson"
}

const formatOf = Effect.fnUntraced(function* ({ file, format }: FileFlags) {
  const found = format ?? extensions[extname(file).toLowerCase()]
  return (
    found ??
    (yield* new UsageError({
      problem: `${file === "-" ? "stdin" : basename(file)}: give --format csv or --format ndjson`
    }))
  )
})

const delimiterOf = ({ delimiter }: FileFlags): Effect.Effect<string, UsageError> => {
  if (delimiter === "tab") return Effect.succeed("\t")
  return /^[^"\r\n]$/.test(delimiter)
    ? Effect.succeed(delimiter)
    : Effect.fail(new UsageError({ problem: "--delimiter: give one character, or tab" }))
}

const phoneMissing = () =>
  new UsageError({
    problem: "--country needs the package libphonenumber-js: npm install libphonenumber-js"
  })

/** Loads the optional library only if `--country` is given. */
const normalizeOf = Effect.fnUntraced(function* ({ country }: FileFlags) {
  if (country === undefined) return undefined
  const { isCountry, toE164 } = yield* Effect.tryPromise({
    try: () => import("./Country.ts"),
    catch: phoneMissing
  })
  if (!isCountry(country)) {
    return yield* new UsageError({
      problem: "--country: give a code of two capital letters, such as NG"
    })
  }
  const normalize: Normalize = (recipient) =>
    Result.match(toE164(recipient, country), {
      onFailure: ({ message }) => ({ problem: message }),
      onSuccess: (number) => ({ number })
    })
  return normalize
})

export interface RowsFile {
  readonly source: Source.Source
  /** The rows in chunks. Each run of the stream reads the file from its beginning. */
  readonly rows: Stream.Stream<ReadonlyArray<FileRow>, InputError>
}

export const make = Effect.fnUntraced(function* (
  flags: FileFlags
): Effect.fn.Return<RowsFile, UsageError, Invocation> {
  const { stdin } = yield* Invocation
  const source = isStdin(flags) ? Source.stdin(stdin) : Source.file(flags.file)
  const options = {
    format: yield* formatOf(flags),
    delimiter: yield* delimiterOf(flags),
    ignoreColumns: flags.ignoreColumns,
    normalize: yield* normalizeOf(flags)
  }
  return { source, rows: RowReader.rows(source, options) }
})

/** How many invalid rows a terminal shows. */
const maxShown = 20

/** Lists an invalid row by its line, without its number and text. */
export const listInvalid = (name: string, nth: number, { field, line, problem }: InvalidRow) =>
  Effect.gen(function* () {
    const event = { event: "InvalidRow", line, ...(field === undefined ? {} : { field }), problem }
    const where = `${name}, line ${line}${field === undefined ? "" : `, ${field}`}`
    yield* report(event)
    if (nth <= maxShown) yield* note(`${where}: ${problem}`)
    if (nth === maxShown + 1) {
      yield* note("More rows are invalid: redirect stdout to a file to list them all")
    }
  })

/** Reads all rows, and lists the invalid ones. */
export const totalsOf = Effect.fnUntraced(function* ({ rows, source }: RowsFile) {
  const totals = Totals.make()
  yield* Stream.runForEach(rows, (some) =>
    Effect.forEach(
      some,
      (row) => {
        Totals.add(totals, row)
        return row._tag === "InvalidRow"
          ? listInvalid(source.name, totals.invalid, row)
          : Effect.void
      },
      { discard: true }
    )
  )
  return totals
})

export const reportTotals = (name: string, totals: Totals.Totals) =>
  report(
    { event: "Totals", ...totals },
    `${name}: ${counted(totals.rows + totals.invalid, "row")}\n${table([
      ["can be sent", totals.rows],
      ["invalid", totals.invalid],
      ["segments", totals.segments],
      ["same recipient and text as an earlier row", totals.repeated],
      ["same key as an earlier row, sent once", totals.same_key],
      ["numbers changed to E.164", totals.normalized]
    ])}`
  )
