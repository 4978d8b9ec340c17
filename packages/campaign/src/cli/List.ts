/**
 * The file of rows that the options name.
 */
import { UsageError } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type CheckOptions, rows } from "../input/Checks.ts"
import { records } from "../input/Csv.ts"
import * as Exclusions from "../input/Exclusions.ts"
import type { InputError } from "../input/InputError.ts"
import * as Recipient from "../input/Recipient.ts"
import type { FileRow, InvalidRow } from "../input/Row.ts"
import * as Source from "../input/Source.ts"
import * as Template from "../input/Template.ts"
import { decoded, type Encoding, encodingOf } from "../input/Text.ts"
import type * as Totals from "../input/Totals.ts"
import { counted } from "../text/Format.ts"
import type { Problems } from "./Failure.ts"
import type { ListFlags } from "./Flags.ts"
import { Invocation } from "./Invocation.ts"
import { note, quotedText, report, table, withoutZeros } from "./Output.ts"

const refuse = (problem: string) => Effect.fail(new UsageError({ problem }))

export const isStdin = ({ file }: { readonly file?: string | undefined }): boolean => file === "-"

/** Loads the optional library only if `--country` is given. */
const normalizeOf = Effect.fnUntraced(function* ({ country }: ListFlags) {
  if (country === undefined) return undefined
  const { isCountry, normalizeTo } = yield* Effect.tryPromise({
    try: () => import("../input/PhoneNumber.ts"),
    catch: () =>
      new UsageError({
        problem: "--country needs the package libphonenumber-js: npm install libphonenumber-js"
      })
  })
  return isCountry(country)
    ? normalizeTo(country)
    : yield* refuse("--country: give a code of two capital letters, such as NG")
})

const templateOf = ({ template }: ListFlags) => {
  const made = template === undefined ? undefined : Template.make(template)
  return typeof made === "string" ? refuse(`--template: ${made}`) : Effect.succeed(made)
}

/** How many rows a trial sends to one number. */
const trialRows = 3

const trialOf = Effect.fnUntraced(function* (
  { limit, to }: ListFlags,
  normalize: Recipient.Normalize | undefined
) {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    return yield* refuse("--limit: give a whole number from 1")
  }
  if (to === undefined) return { limit }
  const number = Recipient.clean(to)
  const problem = Recipient.problemOf(number)
  const sent = problem === undefined ? Recipient.numberOf(number, normalize) : { problem }
  if ("problem" in sent) return yield* refuse(`--to: ${sent.problem}`)
  return { limit: limit ?? trialRows, to: sent.number }
})

export interface List {
  readonly source: Source.Source
  readonly encoding: Encoding
  readonly hasExclusions: boolean
  /** The cells of the header, as they are in the file. */
  readonly header: ReadonlyArray<string>
  /** The rows in chunks. Each run of the stream reads the file from its beginning. */
  readonly rows: (keyOf: CheckOptions["keyOf"]) => Stream.Stream<ReadonlyArray<FileRow>, InputError>
}

/** Checks the options and the header. `problems` gets all that is wrong; the list is used after its end. */
export const make = Effect.fnUntraced(function* (
  flags: ListFlags,
  { check }: Problems
): Effect.fn.Return<List | undefined, never, Invocation | Scope.Scope> {
  const { stdin } = yield* Invocation
  const normalize = yield* check(normalizeOf(flags))
  const template = yield* check(templateOf(flags))
  const trial = yield* check(trialOf(flags, normalize))
  const { exclude } = flags
  const exclusions =
    exclude === undefined
      ? undefined
      : yield* check(Exclusions.read(Source.file(exclude), normalize))
  const source = isStdin(flags) ? yield* check(Source.spooled(stdin)) : Source.file(flags.file)
  if (source === undefined) return undefined
  const encoding = yield* check(encodingOf(source))
  // Without its template, the header would seem to lack columns.
  if (encoding === undefined || (template === undefined && flags.template !== undefined)) {
    return undefined
  }
  const options = { ...flags, normalize, template, trial, exclusions }
  let header: ReadonlyArray<string> | undefined
  const headed = records(source.name, decoded(source, encoding), {
    ...options,
    onHeader: (cells) => {
      header = cells
    }
  })
  yield* check(Stream.runDrain(Stream.takeUntil(headed, () => header !== undefined)))
  return {
    source,
    encoding,
    hasExclusions: exclude !== undefined,
    header: header ?? [],
    rows: (keyOf) => rows(source, encoding, { ...options, keyOf })
  }
})

/** How many rows a terminal lists. */
const maxShown = 20

/** Lists rows by their lines, without numbers and texts. */
export const makeLister = (name: string) => {
  let listed = 0
  return Effect.fnUntraced(function* ({
    field,
    line,
    problem
  }: Pick<InvalidRow, "field" | "line" | "problem">) {
    const where = `${name}, line ${line}${field === undefined ? "" : `, ${field}`}`
    yield* report({
      event: "InvalidRow",
      line,
      ...(field === undefined ? {} : { field }),
      problem
    })
    if (++listed <= maxShown) yield* note(`${where}: ${problem}`)
    if (listed === maxShown + 1) {
      yield* note("There are more of them: results lists every row with its problem")
    }
  })
}

/** How many texts are shown. */
const maxExamples = 3

/** The first texts, as a person sees them before they are sent. */
export const noteExamples = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts.slice(0, maxExamples), (text) => note(`  ${quotedText(text)}`), {
    discard: true
  })

/** Words that show whether the encoding was recognised. */
const wordBeyondAscii = /\p{L}*[^\0-\x7f]\S*/u

/** Says how a file is read that is no Unicode. A person sees some of its words. */
export const noteEncoding = Effect.fnUntraced(function* (
  { encoding, source }: List,
  texts: ReadonlyArray<string>
) {
  if (encoding !== "windows-1252") return
  const words = texts.flatMap((text) => wordBeyondAscii.exec(text)?.[0] ?? [])
  const shown = words.slice(0, maxExamples).map(quotedText).join(", ")
  yield* note(
    `${source.name} is not UTF-8, and is read as Windows-1252${shown === "" ? "" : `: ${shown}`}. If that is wrong, save it as CSV UTF-8`
  )
})

const all = ({ excluded, invalid, over_limit, rows: sendable }: Totals.Totals): number =>
  sendable + invalid + excluded + over_limit

export const reportTotals = ({ encoding, hasExclusions, source }: List, totals: Totals.Totals) =>
  report(
    { event: "Totals", ...totals, encoding },
    `${source.name}: ${counted(all(totals), "row")}\n${table([
      ["can be sent", totals.rows],
      ["invalid", totals.invalid],
      // None means that the list fits no row: a person wants to know that.
      ...(hasExclusions ? [["excluded", totals.excluded] as const] : []),
      ["segments", totals.segments],
      ...withoutZeros([
        ["over the limit", totals.over_limit],
        ["same recipient as an earlier row", totals.repeated_recipients],
        ["numbers changed to E.164", totals.normalized]
      ])
    ])}`
  )
