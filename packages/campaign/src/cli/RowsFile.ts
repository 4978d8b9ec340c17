/**
 * The file of rows that the options name, and its totals.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { basename, extname } from "node:path"
import type { InputError } from "../input/InputError.ts"
import * as Exclusions from "../input/Exclusions.ts"
import * as Recipient from "../input/Recipient.ts"
import type { FileRow, InvalidRow, ReadRow } from "../input/Row.ts"
import * as RowReader from "../input/RowReader.ts"
import * as Source from "../input/Source.ts"
import * as Template from "../input/Template.ts"
import * as Totals from "../input/Totals.ts"
import type { file } from "./Flags.ts"
import { Invocation } from "./Invocation.ts"
import * as LiveLine from "./LiveLine.ts"
import { counted } from "../report/Format.ts"
import { note, quotedText, report, table, withoutZeros } from "./Output.ts"

export type FileFlags = Values<typeof file>

export const isStdin = ({ file }: FileFlags): boolean => file === "-"

const extensions: Readonly<Record<string, RowReader.Format>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson"
}

const workbooks: ReadonlySet<string> = new Set([".xlsx", ".xls", ".ods", ".numbers"])

const formatOf = Effect.fnUntraced(function* ({ file, format }: FileFlags) {
  const extension = extname(file).toLowerCase()
  if (format === undefined && workbooks.has(extension)) {
    return yield* new UsageError({
      problem: `${basename(file)}: this is a workbook: save it as CSV UTF-8 in the spreadsheet, and give that file`
    })
  }
  const found = format ?? extensions[extension]
  return (
    found ??
    (yield* new UsageError({
      problem: `${file === "-" ? "stdin" : basename(file)}: give --format csv or --format ndjson`
    }))
  )
})

const delimiterOf = ({ delimiter }: FileFlags): Effect.Effect<string | undefined, UsageError> => {
  if (delimiter === undefined) return Effect.succeed(delimiter)
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
  const normalize: Recipient.Normalize = (recipient) =>
    Result.match(toE164(recipient, country), {
      onFailure: ({ message }) => ({ problem: message }),
      onSuccess: (number) => ({ number })
    })
  return normalize
})

const templateOf = ({
  template
}: FileFlags): Effect.Effect<Template.Template | undefined, UsageError> => {
  if (template === undefined) return Effect.succeed(template)
  const made = Template.make(template)
  return typeof made === "string"
    ? Effect.fail(new UsageError({ problem: `--template: ${made}` }))
    : Effect.succeed(made)
}

/** How many rows a trial sends to one number. */
const trialRows = 3

const trialOf = Effect.fnUntraced(function* (
  { limit, to }: FileFlags,
  normalize: Recipient.Normalize | undefined
) {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    return yield* new UsageError({ problem: "--limit: give a whole number from 1" })
  }
  if (to === undefined) return { limit }
  const number = Recipient.clean(to)
  const problem = Recipient.problemOf(number)
  const sent = problem === undefined ? Recipient.numberOf(number, normalize) : { problem }
  if ("problem" in sent) return yield* new UsageError({ problem: `--to: ${sent.problem}` })
  return { limit: limit ?? trialRows, to: sent.number }
})

export interface RowsFile {
  readonly source: Source.Source
  /** The rows in chunks. Each run of the stream reads the file from its beginning. */
  readonly rows: Stream.Stream<ReadonlyArray<FileRow>, InputError>
  readonly pricePerSegment: number | undefined
  readonly hasExclusions: boolean
}

export const make = Effect.fnUntraced(function* (
  flags: FileFlags
): Effect.fn.Return<RowsFile, InputError | UsageError, Invocation> {
  const { stdin } = yield* Invocation
  const { allowRepeats, exclude, ignoreColumns, pricePerSegment } = flags
  const source = isStdin(flags) ? Source.stdin(stdin) : Source.file(flags.file)
  const normalize = yield* normalizeOf(flags)
  const options = {
    allowRepeats,
    ignoreColumns,
    normalize,
    format: yield* formatOf(flags),
    delimiter: yield* delimiterOf(flags),
    template: yield* templateOf(flags),
    trial: yield* trialOf(flags, normalize),
    exclusions:
      exclude === undefined ? undefined : yield* Exclusions.read(Source.file(exclude), normalize)
  }
  return {
    source,
    pricePerSegment,
    hasExclusions: exclude !== undefined,
    rows: RowReader.rows(source, options)
  }
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

/** How many texts are shown. */
export const maxExamples = 3

/** The first texts, as a person sees them before they are sent. */
export const noteExamples = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts.slice(0, maxExamples), (text) => note(`  ${quotedText(text)}`), {
    discard: true
  })

/**
 * Reads all rows, and lists the invalid ones. `onRows` gets the rows that can be sent, in chunks.
 */
export const totalsOf = Effect.fnUntraced(function* <E, R>(
  { rows, source }: RowsFile,
  onRows: (rows: ReadonlyArray<ReadRow>) => Effect.Effect<void, E, R>
) {
  const totals = Totals.make()
  const countRead = yield* LiveLine.counter(`rows of ${source.name} read`)
  yield* Stream.runForEach(
    rows,
    Effect.fnUntraced(function* (some) {
      countRead(some.length)
      for (const row of some) {
        Totals.add(totals, row)
        if (row._tag === "InvalidRow") yield* listInvalid(source.name, totals.invalid, row)
      }
      yield* onRows(some.filter(Totals.isSendable))
    })
  )
  return totals
}, Effect.scoped)

/** The price without the errors of binary fractions. */
export const priceOf = (segments: number, pricePerSegment: number): number =>
  Number((segments * pricePerSegment).toFixed(6))

const all = ({ excluded, invalid, over_limit, rows }: Totals.Totals): number =>
  rows + invalid + excluded + over_limit

export const reportTotals = (
  { hasExclusions, pricePerSegment, source }: RowsFile,
  totals: Totals.Totals
) => {
  const price =
    pricePerSegment === undefined ? undefined : priceOf(totals.segments, pricePerSegment)
  return report(
    { event: "Totals", ...totals, ...(price === undefined ? {} : { price }) },
    `${source.name}: ${counted(all(totals), "row")}\n${table([
      ["can be sent", totals.rows],
      ["invalid", totals.invalid],
      // None means that the list fits no row: a person wants to know that.
      ...(hasExclusions ? [["excluded", totals.excluded] as const] : []),
      ["segments", totals.segments],
      ...(price === undefined ? [] : [["price", price] as const]),
      ...withoutZeros([
        ["over the limit", totals.over_limit],
        ["same recipient as an earlier row", totals.repeated_recipients],
        ["same recipient and text as an earlier row", totals.repeated],
        ["same key as an earlier row, sent once", totals.same_key],
        ["numbers changed to E.164", totals.normalized]
      ])
    ])}`
  )
}
