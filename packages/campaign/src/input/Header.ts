/**
 * The header of a CSV file: which columns are used, and what is said about the others.
 */
import { type Column, columns, isColumn, nameOf } from "./Row.ts"
import type { Template } from "./Template.ts"

export interface ColumnOptions {
  readonly ignoreColumns: boolean
  /** The column with the recipient, if it has another name. */
  readonly recipientColumn?: string | undefined
  /** The column with the key, if it has another name. */
  readonly keyColumn?: string | undefined
  /** Makes the texts. Default: they are in the column `message`. */
  readonly template?: Template | undefined
  /** The file is a list of one column, such as numbers, and needs no header. */
  readonly only?: Column
}

/** The names by which the cells of each column are known. None if the column is ignored. */
export type Header = ReadonlyArray<ReadonlyArray<string>>

/**
 * The column in which `results` says how a row ended. It is never ignored, so that a row that may have
 * gone out is not sent again by mistake.
 */
export const outcomeColumn = "outcome"

export const missing =
  "there is no header: begin the file with a line of column names, such as recipient,message"

const otherNames: Readonly<Record<Column, ReadonlyArray<string>>> = {
  recipient: [
    "to",
    "phone",
    "number",
    "phonenumber",
    "mobile",
    "msisdn",
    "telephone",
    "recipients"
  ],
  message: ["text", "body", "sms", "content", "messages"],
  sender_id: ["sender", "from"],
  webhook_url: ["webhook", "callbackurl"],
  scheduled_time: ["scheduletime", "scheduledat", "sendat"],
  key: ["id"]
}

const simplified = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "")

const meant: ReadonlyMap<string, Column> = new Map(
  columns.flatMap((column) =>
    [simplified(column), ...otherNames[column]].map((name) => [name, column] as const)
  )
)

/** Returns the column that a name probably stands for. */
const meantBy = (name: string): Column | undefined =>
  isColumn(nameOf(name)) ? undefined : meant.get(simplified(name))

/** Quotes and shortens the name of a column for an error. */
const quoted = (name: string): string =>
  JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)

const maxNamed = 5

const adviceFor = (name: string): string => {
  const column = meantBy(name)
  if (column === undefined) return ""
  if (column === "recipient") return ` (give --recipient-column, or rename it to recipient)`
  if (column === "message") return ` (give --template, or rename it to message)`
  return ` (did you mean ${column}?)`
}

const unknownProblem = (unknown: ReadonlyArray<string>): string => {
  if (unknown.every((name) => nameOf(name) === "message")) {
    return "the template does not use the column message: use {message} in it, or give --ignore-columns"
  }
  // Those that were probably meant come first.
  const sorted = unknown.toSorted((one, other) => adviceFor(other).length - adviceFor(one).length)
  const named = sorted.slice(0, maxNamed).map((name) => quoted(name) + adviceFor(name))
  const rest = unknown.length - named.length
  const more = rest === 0 ? "" : ` and ${rest.toLocaleString("en")} more`
  const [end, them] = unknown.length === 1 ? ["", "it"] : ["s", "them"]
  return `unknown column${end} ${named.join(", ")}${more}: give --ignore-columns, or rename ${them}; the known columns are ${columns.join(", ")}`
}

const missingProblem = (name: string, { template }: ColumnOptions): string => {
  const used = template?.columns.has(name) === true ? ", which the template uses," : ""
  const other = name === "message" ? ", or give --template" : ""
  const shown = isColumn(name) ? name : quoted(name)
  return `the column ${shown}${used} is missing${name === "recipient" ? ", or give --recipient-column" : other}`
}

/** Removes empty cells at the end, as spreadsheets write them. */
const withoutEmptyEnd = (cells: ReadonlyArray<string>): ReadonlyArray<string> =>
  cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1)

/** A name under which the cells of a row are read, and the column of the file that has them. */
interface Wanted {
  readonly name: string
  readonly column: string
  readonly isRequired: boolean
  /** The option that names the column. */
  readonly option?: string | undefined
}

const optional = ["sender_id", "webhook_url", "scheduled_time", outcomeColumn]

const same = (isRequired: boolean) => (name: string) => ({ name, column: name, isRequired })

const wantedBy = (options: ColumnOptions): ReadonlyArray<Wanted> => {
  const { keyColumn, only, recipientColumn, template } = options
  if (only !== undefined) return [only].map(same(true))
  return [
    {
      name: "recipient",
      column: nameOf(recipientColumn ?? "recipient"),
      isRequired: true,
      option: recipientColumn && "--recipient-column"
    },
    ...[...(template?.columns ?? ["message"])].map(same(true)),
    {
      name: "key",
      column: nameOf(keyColumn ?? "key"),
      isRequired: keyColumn !== undefined,
      option: keyColumn && "--key-column"
    },
    ...optional.map(same(false))
  ]
}

/** Returns the header, or all its problems. */
export const read = (
  cells: ReadonlyArray<string>,
  options: ColumnOptions
): { readonly header: Header } | { readonly problems: ReadonlyArray<string> } => {
  const given = withoutEmptyEnd(cells)
  const names = given.map(nameOf)
  const wanted = wantedBy(options)
  const header = names.map((name) => [
    ...new Set(wanted.filter(({ column }) => column === name).map((each) => each.name))
  ])
  // Otherwise the error does not contain the names: the line may be a row.
  if (header.every((some) => some.length === 0) && !names.some(meantBy)) {
    return { problems: [missing] }
  }
  const used = header.flat()
  const seen = new Set(used)
  const twice = seen.size === used.length ? [] : used.filter((name, at) => used.indexOf(name) < at)
  const problems = [...new Set(twice)].map((name) => `the column ${name} occurs twice: remove one`)
  const unknown = given.filter((_, index) => header[index]?.length === 0)
  if (unknown.length > 0 && !options.ignoreColumns) problems.push(unknownProblem(unknown))
  for (const { isRequired, name, option } of wanted) {
    if (!isRequired || seen.has(name)) continue
    problems.push(
      option === undefined
        ? missingProblem(name, options)
        : `${option}: the file has no column of this name`
    )
  }
  return problems.length === 0 ? { header } : { problems }
}
