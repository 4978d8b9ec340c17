/**
 * Which columns of a file are used, and what is said about the others.
 */
import { type Column, columns, isColumn, nameOf } from "./Row.ts"
import type { Template } from "./Template.ts"

export interface ColumnOptions {
  readonly ignoreColumns: boolean
  /** Makes the texts. Default: they are in the column `message`. */
  readonly template?: Template | undefined
  /** The file is a list of one column, such as numbers, and needs no header. */
  readonly only?: Column
}

/**
 * The column in which `failures --csv` says how a row ended. It is never ignored, so that a row of
 * unknown outcome is not sent again by mistake.
 */
export const outcomeColumn = "outcome"

/** Whether the rows use a column: a template uses the message only if it names it. */
export const isUsed = (name: string, { only, template }: ColumnOptions): boolean => {
  if (only !== undefined) return name === only
  if (name === outcomeColumn) return true
  if (template === undefined) return isColumn(name)
  return template.columns.has(name) || (isColumn(name) && name !== "message")
}

/** The columns that every row needs. */
export const required = ({ only, template }: ColumnOptions): ReadonlyArray<string> => {
  if (only !== undefined) return [only]
  return [...new Set(["recipient", ...(template?.columns ?? ["message"])])]
}

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
export const meantBy = (name: string): Column | undefined =>
  isColumn(nameOf(name)) ? undefined : meant.get(simplified(name))

/** Quotes and shortens the name of a column for an error. */
const quoted = (name: string): string =>
  JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)

const maxNamed = 5

const listed = (names: ReadonlyArray<string>): string => {
  const rest = names.length - maxNamed
  const some = names.slice(0, maxNamed).join(", ")
  return rest > 0 ? `${some} and ${rest.toLocaleString("en")} more` : some
}

/** The names that probably stand for a column come first, with that column. */
const withMeant = (unknown: ReadonlyArray<string>): ReadonlyArray<string> => {
  const named = unknown.map((name) => ({ name: quoted(name), column: meantBy(name) }))
  return [
    ...named.flatMap(({ column, name }) =>
      column === undefined ? [] : [`${name} (did you mean ${column}?)`]
    ),
    ...named.flatMap(({ column, name }) => (column === undefined ? [name] : []))
  ]
}

/** The problem with columns that are not used. */
export const problemOfUnknown = (
  unknown: ReadonlyArray<string>,
  thing: "column" | "field"
): string => {
  if (unknown.every((name) => nameOf(name) === "message")) {
    return `the template does not use the ${thing} message: use {message} in it, or give --ignore-columns`
  }
  const [end, them] = unknown.length === 1 ? ["", "it"] : ["s", "them"]
  return `unknown ${thing}${end} ${listed(withMeant(unknown))}: give --ignore-columns, or rename ${them}; the known ${thing}s are ${columns.join(", ")}`
}

/** The problem with columns that are missing in a file with these names. */
export const problemOfMissing = (
  missing: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
  options: ColumnOptions
): string => {
  const found = names.filter((name) => missing.some((column) => column === meantBy(name)))
  const renamed = found.length === 0 ? "" : `: rename ${listed(found.map(quoted))}`
  const template =
    options.template !== undefined && missing.some((name) => options.template?.columns.has(name))
      ? ", which the template uses,"
      : ""
  const some = missing.slice(0, maxNamed).map((name) => (isColumn(name) ? name : quoted(name)))
  const other = missing.includes("message") ? ", or give --template" : ""
  return `the column ${some.join(" and the column ")}${template} is missing${renamed}${other}`
}
