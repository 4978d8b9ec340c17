/** The file of rows that the options name. */
import { sameTextDays, SendJournal } from "@messaging-topup/journal/internal"
import {
  argument,
  argumentsOf,
  flagOf,
  Invocation,
  on,
  type Option,
  refuse,
  text,
  type Values
} from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { type Chosen, chosen, rows } from "./Rows.ts"
import * as StopList from "./StopList.ts"
import * as Header from "./Header.ts"
import * as Recipient from "./Recipient.ts"
import { type FileRow, nameOf } from "./Row.ts"
import * as Sheet from "./Sheet.ts"
import * as Source from "./Source.ts"
import * as Template from "./Template.ts"
import { type TextFile, textOf } from "./Encoding.ts"
import { allOf, type CommandError, type InputError } from "../CommandError.ts"
import { outcomeOption } from "../words/ResultWords.ts"
import { shellLine } from "../words/ShellLine.ts"

/** The file, for a command that needs it. */
export const needed = {
  file: argument("list.csv", "The list, as CSV with an SMS in each row; - reads stdin")
}

/** The file, for a command on a campaign whose name may be given instead. */
export const fileIfAny: { readonly file: Option<string | undefined> } = {
  file: {
    ...text("list.csv", "", "The list; not needed with --campaign"),
    kind: "argument"
  }
}

/** How a file is read. All commands on one file need the same. */
export const reading = {
  recipientColumn: text("name", "recipient", "The column with the phone numbers"),
  keyColumn: text(
    "name",
    "key",
    "The column that identifies a row, such as the number of an order"
  ),
  ignoreColumns: on("Ignores unknown columns; otherwise they are an error"),
  template: text(
    "text",
    "the column message",
    "The text of all rows, with columns of the file, as in 'Hello {name}'"
  ),
  country: text(
    "code",
    "numbers are not changed",
    "Reads numbers as those of this country, such as NG, which go out with + and its code"
  ),
  exclude: text(
    "file",
    "none",
    "The stop list, whose numbers are excluded: one per line, or CSV of which one column has numbers"
  ),
  allowRepeats: on(
    `Allows a second SMS to a recipient: of the campaign, or the same text within ${sameTextDays} days; otherwise refused`
  ),
  outcome: outcomeOption
}

/** Where a trial goes: only a command that sends has it. */
interface Trial {
  readonly to?: string | undefined
}

type ListFlags = Trial & Values<typeof needed & typeof reading>

export const isStdin = ({ file }: { readonly file?: string | undefined }): boolean => file === "-"

interface Country {
  readonly code: string
  /** The plus and the calling code. */
  readonly prefix: string
  readonly normalize: Recipient.Normalize
}

/** Loads the library only if `--country` is given. */
const countryOf = Effect.fnUntraced(function* ({ country: code }: ListFlags) {
  if (code === undefined) return undefined
  const { isCountry, normalizeTo, prefixOf } = yield* Effect.promise(
    () => import("./PhoneNumber.ts")
  )
  return isCountry(code)
    ? { code, prefix: prefixOf(code), normalize: normalizeTo(code) }
    : yield* refuse("--country: give a code of two capital letters, such as NG")
})

const templateOf = ({ template }: ListFlags) => {
  const made = template === undefined ? undefined : Template.make(template)
  return typeof made === "string" ? refuse(`--template: ${made}`) : Effect.succeed(made)
}

/** How many rows a trial sends to one number. */
const trialRows = 3

/** The rows of a file, until so many can be sent. */
const firstOf = (all: List["rows"]): List["rows"] =>
  Stream.suspend(() => {
    let found = 0
    return Stream.takeUntil(all, ({ _tag }) => _tag === "Row" && ++found === trialRows)
  })

/** The number to which a trial goes. */
const targetOf = ({ to }: Trial, normalize: Recipient.Normalize | undefined) => {
  if (to === undefined) return Effect.succeed(to)
  const { number, problem } = Recipient.read(to)
  const sent = problem === undefined ? Recipient.numberOf(number, normalize) : { problem }
  return "problem" in sent ? refuse(`--to: ${sent.problem}`) : Effect.succeed(sent.number)
}

/** Reads list and stop list at the same time: one program may write both, into two pipes. */
const readFiles = Effect.fnUntraced(function* (flags: ListFlags) {
  const { stdin } = yield* Invocation
  const { exclude, file } = flags
  return yield* Effect.all(
    [
      Effect.result(isStdin(flags) ? Source.fromStdin(stdin) : Source.file(file)),
      Effect.result(exclude === undefined ? Effect.succeed(exclude) : Source.file(exclude))
    ],
    { concurrency: 2 }
  )
})

/** What names the journal in a line that repeats the command. */
type JournalArguments = Effect.Effect<ReadonlyArray<string>, never, Invocation>

/** Stands for a value that only a person knows. As it is, it is the name of no column. */
const blank = "…"

/**
 * The refusal of a header, with the whole command: each of its options would otherwise be another refusal. Not if it
 * refuses an option that was given: the command would have it again.
 */
const withWholeCommand = Effect.fnUntraced(function* (
  error: InputError,
  flags: ListFlags,
  isRepeatable: boolean,
  inJournal: JournalArguments
): Effect.fn.Return<never, CommandError, Invocation> {
  const { args } = yield* Invocation
  const problems = error.problems.join("\n")
  const named = Struct.keys(Struct.omit(reading, ["outcome"])).filter((name) =>
    problems.includes(flagOf(name))
  )
  const missing = named.filter((name) => !flags[name])
  // The number of a trial is not printed.
  if (
    missing.length === 0 ||
    missing.length < named.length ||
    flags.to !== undefined ||
    !isRepeatable
  ) {
    return yield* Effect.fail(error)
  }
  const blanks = {
    ...Record.map(reading, () => blank),
    template: `{${blank}}`,
    ignoreColumns: true
  }
  const given = argumentsOf(Struct.pick(reading, missing), blanks)
  return yield* refuse(
    `${error.message}\nEvery command on this list needs the same options: ${shellLine(...args, ...(yield* inJournal), ...given)}`
  )
})

/** The options that make the keys and the requests of rows. The others only choose rows. */
const readingOf = (flags: ListFlags) => ({
  "--recipient-column": nameOf(flags.recipientColumn ?? "recipient"),
  "--key-column": nameOf(flags.keyColumn ?? "key"),
  "--template": flags.template ?? "{message}",
  "--country": flags.country ?? ""
})

export interface List extends Omit<TextFile, "utf8">, Pick<Sheet.Sheet, "delimiter" | "header"> {
  readonly stopList: StopList.StopList | undefined
  /** Whether a row that is not here may be elsewhere: a program gives some through a pipe, and `--outcome` chooses some. */
  readonly isPart: boolean
  /** Whether the same command can read these files again: none of them is a pipe, but for stdin. */
  readonly isRepeatable: boolean
  /** The number to which a trial goes, as it is sent. */
  readonly to: string | undefined
  /** To whose numbers the recipients are changed. */
  readonly country: Country | undefined
  /** What the options say of the keys and the requests of rows. */
  readonly reading: Readonly<Record<string, string>>
  /** Whether several rows may have the same recipient. */
  readonly allowRepeats: boolean
  /** The rows that `--outcome` chooses, if it is given. */
  readonly chosen: Effect.Effect<Chosen | undefined, InputError>
  /** Each run of the stream begins with the first row. */
  readonly rows: Stream.Stream<FileRow, InputError, SendJournal>
  /** The same, with second rows to a recipient: an earlier run may have sent them. */
  readonly everyRow: List["rows"]
}

/** Says which of some files that were read have other bytes now: who saved them means these. */
export const savedSince = Effect.fnUntraced(function* (
  files: ReadonlyArray<Source.ReadFile | undefined>
) {
  const saved = new Array<string>()
  for (const each of files) {
    if (each !== undefined && (yield* each.isChanged)) saved.push(each.name)
  }
  if (saved.length === 0) return undefined
  const were = saved.length === 1 ? "was saved since it was" : "were saved since they were"
  return `${saved.join(" and ")} ${were} read`
})

/** Checks the options that say how a file is read, and its header. */
export const make = Effect.fnUntraced(function* (flags: ListFlags, inJournal: JournalArguments) {
  const country = yield* Effect.cached(countryOf(flags))
  const template = yield* Effect.cached(templateOf(flags))
  const [given, stops] = yield* readFiles(flags)
  const file = yield* Effect.cached(Effect.flatMap(Effect.fromResult(given), textOf))
  const named = isStdin(flags) ? [stops] : [given, stops]
  const isRepeatable = !named.some((each) => Result.getOrUndefined(each)?.isPipe)
  const { allowRepeats, recipientColumn } = flags
  const checked = yield* allOf({
    to: Effect.flatMap(country, (found) => targetOf(flags, found?.normalize)),
    country,
    template,
    stopList: Effect.flatMap(country, (found) =>
      Effect.flatMap(Effect.fromResult(stops), (source) =>
        source === undefined
          ? Effect.succeed(source)
          : StopList.read(source, found?.normalize, recipientColumn)
      )
    ),
    file,
    // Without its template, the header would seem to lack columns.
    sheet: Effect.flatMap(template, (made) =>
      Effect.flatMap(file, (found) =>
        Sheet.open(found, Header.reading({ ...flags, template: made }))
      )
    ).pipe(
      Effect.catchTag("InputError", (error) =>
        withWholeCommand(error, flags, isRepeatable, inJournal)
      )
    )
  })
  const { stopList } = checked
  const options = {
    ...flags,
    ...checked,
    normalize: checked.country?.normalize,
    isExcluded: stopList?.has
  }
  const { delimiter, header } = checked.sheet
  // Keys are keyed digests of this journal.
  const rowsOf = (mayRepeat: boolean) =>
    Stream.unwrap(
      Effect.map(SendJournal, ({ digest }) =>
        rows(checked.sheet, { ...options, allowRepeats: mayRepeat, keyOf: digest })
      )
    )
  const list: List = {
    ...checked.file,
    delimiter,
    header,
    stopList,
    isPart: checked.file.isPipe || flags.outcome !== undefined,
    isRepeatable,
    to: checked.to,
    country: checked.country,
    reading: readingOf(flags),
    allowRepeats,
    chosen:
      flags.outcome === undefined
        ? Effect.succeed(undefined)
        : chosen(checked.sheet, flags.outcome),
    rows: flags.to === undefined ? rowsOf(allowRepeats) : firstOf(rowsOf(allowRepeats)),
    everyRow: rowsOf(true)
  }
  return list
})

/** A file that a command does not need. */
export const makeIfGiven = (
  { file, ...flags }: Omit<ListFlags, "file"> & { readonly file: string | undefined },
  inJournal: JournalArguments
) => (file === undefined ? Effect.succeed(undefined) : make({ ...flags, file }, inJournal))
