/** The header of a CSV file: which columns are used, and what is said about the others. */
import { numberOf } from "@messaging-topup/command"
import { type Column, columns, fields, isColumn, nameOf, simplified } from "./Row.ts"
import { hasUnfilled, namedBy, type Template } from "./Template.ts"
import { lineColumn, outcomeColumn, reasonColumn, resultColumns } from "../words/ResultWords.ts"

export interface ColumnOptions {
  readonly ignoreColumns: boolean
  /** The column with the recipient, if it has another name. */
  readonly recipientColumn?: string | undefined
  /** The column with the key, if it has another name. */
  readonly keyColumn?: string | undefined
  /** Reads a file that `results` wrote: only rows with this outcome. */
  readonly outcome?: string | undefined
  /** Makes the texts. Default: they are in the column `message`. */
  readonly template?: Template | undefined
}

/** The names by which the cells of each column are known. None if the column is ignored. */
export type Header = ReadonlyArray<ReadonlyArray<string>>

/** How the columns of a file are found. */
export interface Reading {
  /** Names by which a header is recognised. */
  readonly columns: ReadonlySet<string>
  /** Whether `results` wrote the file. */
  readonly isResults?: boolean
  /** Reads the first row. `isRow`: it is no header. */
  readonly header: (
    first: ReadonlyArray<string>
  ) =>
    | { readonly header: Header; readonly isRow?: boolean }
    | { readonly problems: ReadonlyArray<string> }
}

const isAdded: ReadonlySet<string> = new Set(Object.keys(resultColumns))

const isResults = `the column ${outcomeColumn} shows that results wrote this file: if you gave --outcome with it before, give the same again; if not, give the list that it was made from, or --outcome sent to write to those who got an SMS; in a list of your own, rename the column`

const emptyFile =
  "the file is empty: begin it with a line of column names, such as recipient,message, and give each SMS a line of its own"

/** A spreadsheet writes a row so of which the whole text is in one cell. */
export const oneCell =
  "it is one cell, with quotes around the whole line: split the column in the spreadsheet (Text to Columns), and save it again"

/** What a template of one column leaves over would be the next refusal. */
const missing = (
  columnCount: number,
  { ignoreColumns, recipientColumn, template }: ColumnOptions
): string => {
  const isWrong = template !== undefined && template.columns.size > 0
  const give = [
    ...(recipientColumn === undefined ? ["--recipient-column"] : []),
    ...(template === undefined ? ["--template"] : [])
  ]
  const correct = [
    ...(recipientColumn === undefined ? [] : ["--recipient-column"]),
    ...(isWrong ? ["--template"] : [])
  ]
  const leftOver = !ignoreColumns && !isWrong && columnCount > (template === undefined ? 2 : 1)
  const todo = [
    ...(give.length > 0 ? [`give ${give.join(" and ")}`] : []),
    ...(correct.length > 0 ? [`correct ${correct.join(" and ")}`] : []),
    ...(leftOver ? ["--ignore-columns for those that the template does not use"] : [])
  ]
  return `its columns are not known: ${todo.join(", and ")}, or begin the file with a line of column names, such as recipient,message`
}

const otherNames: Readonly<Record<Column, string>> = {
  recipient: "to phone number phonenumber mobile msisdn telephone recipients",
  message: "text body sms content messages smstext messagetext textmessage",
  sender_id: "sender from",
  webhook_url: "webhook callbackurl",
  scheduled_time: "scheduletime scheduledat sendat",
  key: "id"
}

const meant: ReadonlyMap<string, Column> = new Map(
  columns.flatMap((column) =>
    [simplified(column), ...otherNames[column].split(" ")].map((name) => [name, column] as const)
  )
)

/** Returns the column that a name probably stands for. */
const meantBy = (name: string): Column | undefined =>
  isColumn(nameOf(name)) ? undefined : meant.get(simplified(name))

/** Quotes and shortens the name of a column for an error. */
const quoted = (name: string): string =>
  JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)

const insteadOf = (name: string): Partial<Record<Column, string>> => ({
  recipient: "give --recipient-column, or ",
  message: `give --template ${quoted(`{${name}}`)}, or `,
  key: "give --key-column, or "
})

/** Whether a column is used, but the file has none of its name. */
type IsMissing = (column: Column) => boolean

/** Returns the column that a name probably stands for, unless it has one already: its texts and numbers would change. */
const missingBy = (name: string, isMissing: IsMissing): Column | undefined => {
  const column = meantBy(name)
  return column !== undefined && isMissing(column) ? column : undefined
}

const adviceFor = (name: string, isMissing: IsMissing): string => {
  if (nameOf(name) === "message") return " (the template does not use it)"
  const column = missingBy(name, isMissing)
  return column === undefined ? "" : ` (${insteadOf(name)[column] ?? ""}rename it to ${column})`
}

const maxNamed = 8

/** Whether another option than --ignore-columns uses all of them: it names one column. */
const areAllUsed = (unknown: ReadonlyArray<string>, isMissing: IsMissing): boolean => {
  const used = unknown.map((name) => {
    const column = missingBy(name, isMissing)
    return column !== undefined && insteadOf(name)[column] !== undefined ? column : undefined
  })
  return !used.includes(undefined) && new Set(used).size === used.length
}

const namesOf = (
  some: ReadonlyArray<string>,
  more: (name: string) => string = () => ""
): string => {
  const rest = some.length > maxNamed ? ` and ${numberOf(some.length - maxNamed)} more` : ""
  return `${some
    .slice(0, maxNamed)
    .map((name) => quoted(name) + more(name))
    .join(", ")}${rest}`
}

const unknownProblem = (unknown: ReadonlyArray<string>, isMissing: IsMissing): string => {
  const others = areAllUsed(unknown, isMissing) ? "" : "; give --ignore-columns, or rename them"
  const named = namesOf(unknown, (name) => adviceFor(name, isMissing))
  return `unknown columns: ${named}${others}. The known columns are ${columns.join(", ")}`
}

/** Removes empty cells at the end, as spreadsheets write them. */
export const withoutEmptyEnd = (cells: ReadonlyArray<string>): ReadonlyArray<string> =>
  cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1)

/**
 * The places of a list's own columns. What `results` added to a list that is its file is of another campaign: it stands
 * from the line on, so that a column of the list itself may have such a name, too.
 */
export const ownColumns = (
  cells: ReadonlyArray<string>,
  { outcome }: Pick<ColumnOptions, "outcome">
): ReadonlyArray<number> => {
  const names = cells.map(nameOf)
  const first = names.lastIndexOf(lineColumn, names.indexOf(outcomeColumn))
  return [...names.keys()].filter(
    (index) => outcome === undefined || index < first || !isAdded.has(names[index] ?? "")
  )
}

/** A name under which the cells of a row are read, and the column of the file that has them. */
interface Wanted {
  readonly name: string
  readonly column: string
  /** What is said if the file does not have the column. Absent: then it is not needed. */
  readonly problem?: string
  /** Whether the advice for an unknown column that is probably meant says the same. */
  readonly isAdvised?: boolean
}

const optional = fields.filter((name) => name !== "recipient" && name !== "message")

/** A column that an option names. */
const named = (name: string, option: string, given: string): Wanted => ({
  name,
  column: nameOf(given),
  problem: `${option}: the file has no column of this name`
})

const needed = (name: string, more: string): Wanted => ({
  name,
  column: name,
  problem: `the column ${quoted(name)}${more}`
})

/** A column that may have another name. */
const neededOrNamed = (name: string, more: string): Wanted => ({
  ...needed(name, more),
  isAdvised: true
})

const wantedBy = (options: ColumnOptions): ReadonlyArray<Wanted> => {
  const { keyColumn, outcome, recipientColumn, template } = options
  const texts =
    template === undefined
      ? [
          neededOrNamed(
            "message",
            " is missing: name the column of the texts so, or give --template to make them of several"
          )
        ]
      : [...template.columns].map((name) => ({ name, column: name }))
  return [
    recipientColumn === undefined
      ? neededOrNamed("recipient", " is missing: if it has another name, give --recipient-column")
      : named("recipient", "--recipient-column", recipientColumn),
    ...texts,
    ...(outcome === undefined
      ? []
      : [
          named(outcomeColumn, "--outcome", outcomeColumn),
          needed(reasonColumn, ", in which results says who is excluded, is missing")
        ]),
    keyColumn === undefined
      ? { name: "key", column: "key" }
      : named("key", "--key-column", keyColumn),
    ...optional.map((name) => ({ name, column: name }))
  ]
}

/** It names the first two places, from 1: the names are alike. Without the column that `results` wrote, another one would decide. */
const twiceProblems = (header: Header, outcome: string | undefined): ReadonlyArray<string> => {
  const firstOf = new Map<string, number>()
  const problems = new Map<string, string>()
  for (const [index, names] of header.entries()) {
    for (const name of names) {
      const first = firstOf.get(name)
      if (first === undefined) firstOf.set(name, index)
      else if (!problems.has(name)) {
        const todo =
          outcome !== undefined && isAdded.has(name)
            ? "rename the one that results did not write"
            : "remove one"
        problems.set(
          name,
          `the column ${name} occurs twice, as columns ${first + 1} and ${index + 1}: ${todo}`
        )
      }
    }
  }
  return [...problems.values()]
}

const read = (
  cells: ReadonlyArray<string>,
  options: ColumnOptions
): ReturnType<Reading["header"]> => {
  const given = withoutEmptyEnd(cells)
  const names = given.map(nameOf)
  const { ignoreColumns, outcome, template } = options
  if (outcome === undefined && names.includes(outcomeColumn)) {
    return { problems: [isResults] }
  }
  const wanted = wantedBy(options)
  const header = names.map((name) => [
    ...new Set(wanted.filter(({ column }) => column === name).map((each) => each.name))
  ])
  // Otherwise the error does not contain the names: the line may be a row.
  if (header.every((some) => some.length === 0) && !names.some(meantBy)) {
    const [first, ...others] = given
    if (first === undefined) return { problems: [emptyFile] }
    if (others.length === 0 && /[,;\t|]/.test(first)) return { problems: [oneCell] }
    return { problems: [missing(given.length, options)] }
  }
  const used = new Set(header.flat())
  const isUnknown = (name: string, index: number) =>
    header[index]?.length === 0 && !(outcome !== undefined && isAdded.has(nameOf(name)))
  const absent = [...(template?.columns ?? [])].filter((name) => !used.has(name))
  const unfilled = given.filter((name) =>
    template?.texts.some((text) => hasUnfilled(text, namedBy([name])))
  )
  // Of a template that is corrected, others are left over.
  const isCorrected = absent.length + unfilled.length > 0
  const unknown = ignoreColumns || isCorrected ? [] : given.filter(isUnknown)
  const isMissing: IsMissing = (column) =>
    wanted.some(({ name }) => name === column) && !used.has(column)
  const problems = [
    ...(absent.length > 0
      ? [`--template: the file has no column ${namesOf(absent)}; its columns are ${namesOf(given)}`]
      : []),
    ...(unfilled.length > 0
      ? [
          `--template: it has ${namesOf(unfilled)} in other signs than braces, and fills only {name}: correct it, or rename the column if the word belongs to the text`
        ]
      : []),
    ...twiceProblems(header, outcome),
    ...(unknown.length > 0 ? [unknownProblem(unknown, isMissing)] : []),
    ...wanted.flatMap(({ isAdvised = false, name, problem }) => {
      const isSaid = isAdvised && unknown.some((column) => meantBy(column) === name)
      return problem === undefined || used.has(name) || isSaid ? [] : [problem]
    })
  ]
  return problems.length === 0 ? { header } : { problems }
}

/** Reads the header of a list: all its problems are one error. */
export const reading = (options: ColumnOptions): Reading => ({
  columns: new Set([...columns, ...wantedBy(options).map(({ column }) => column)]),
  isResults: options.outcome !== undefined,
  header: (cells) => read(cells, options)
})
