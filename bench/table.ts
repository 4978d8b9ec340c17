/**
 * The tables of docs/benchmarks.md, made straight from the figures of a run.
 */

interface Target {
  readonly is: "≤" | "≥"
  readonly limit: number
}

export const atMost = (limit: number): Target => ({ is: "≤", limit })

export const atLeast = (limit: number): Target => ({ is: "≥", limit })

export interface Row {
  /** One for each heading of the table. */
  readonly labels: ReadonlyArray<string>
  /** Of the target and of all figures. Empty for a count. */
  readonly unit: string
  readonly target?: Target | undefined
  /** One for each measured column of the table. */
  readonly figures: ReadonlyArray<number>
  /** What is said after each figure. */
  readonly notes?: ReadonlyArray<string>
}

/** A row of a table that has one measured column. */
export const figureRow = (
  labels: ReadonlyArray<string>,
  figure: number,
  unit: string,
  target?: Target
): Row => ({ labels, unit, target, figures: [figure] })

export interface Table {
  /** The document has the table between comments with this name. */
  readonly name: string
  readonly headings: ReadonlyArray<string>
  readonly measured: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  /** The plot of the table, by the names of its files in docs/images. */
  readonly images?: ReadonlyMap<string, string>
}

const digitsOf = (value: number, unit: string): number => {
  if (unit === "×") return 2
  if (Number.isInteger(value) || Math.abs(value) >= 100) return 0
  return Math.abs(value) >= 10 ? 1 : 2
}

/** A figure as readers see it. */
export const shown = (value: number, unit: string): string => {
  const digits = digitsOf(value, unit)
  const text = value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
  return unit === "×" || unit === "" ? text + unit : `${text} ${unit}`
}

/** Judges the figure that readers see. */
const isMet = ({ is, limit }: Target, value: number, unit: string): boolean => {
  const rounded = Number(value.toFixed(digitsOf(value, unit)))
  return is === "≤" ? rounded <= limit : rounded >= limit
}

const cell = (value: number, note: string, { target, unit }: Row): string => {
  if (!Number.isFinite(value)) throw new Error(`There is no figure: ${value}`)
  const text = `${shown(value, unit)}${note === "" ? "" : `, ${note}`}`
  return target === undefined || isMet(target, value, unit) ? text : `**${text}: missed**`
}

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

export const markdownOf = ({ headings, measured, rows }: Table): string =>
  [
    line([...headings, "target", ...measured]),
    line([...headings.map(() => "---"), ...["target", ...measured].map(() => "---:")]),
    ...rows.map((row) => {
      const { figures, labels, notes = [], target, unit } = row
      const limit = target === undefined ? "" : `${target.is} ${shown(target.limit, unit)}`
      return line([
        ...labels,
        limit,
        ...figures.map((each, at) => cell(each, notes[at] ?? "", row))
      ])
    })
  ].join("\n")

/** Replaces what the document has between the comment with this name and the next `end`. */
export const withPart = (document: string, name: string, part: string): string => {
  const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- end -->)`)
  if (!place.test(document)) throw new Error(`The document has no place for ${name}`)
  return document.replace(place, (_, begin: string, end: string) => `${begin}\n${part}\n${end}`)
}
