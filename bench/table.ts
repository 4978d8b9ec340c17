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
  /** Empty if nothing is wanted. */
  readonly target: string
  /** One for each measured column of the table. */
  readonly cells: ReadonlyArray<string>
}

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

/** A figure and what is said of it, compared with what is wanted. */
export const figureCell = (value: number, unit: string, target?: Target, note = ""): string => {
  if (!Number.isFinite(value)) throw new Error(`There is no figure: ${value}`)
  const text = `${shown(value, unit)}${note === "" ? "" : `, ${note}`}`
  return target === undefined || isMet(target, value, unit) ? text : `**${text}: missed**`
}

const targetText = (target: Target | undefined, unit: string): string =>
  target === undefined ? "" : `${target.is} ${shown(target.limit, unit)}`

/** A row of figures with one unit. Other cells can follow. */
export const figureRow = (
  labels: ReadonlyArray<string>,
  figures: ReadonlyArray<number>,
  unit: string,
  target?: Target,
  ...others: ReadonlyArray<string>
): Row => ({
  labels,
  target: targetText(target, unit),
  cells: [...figures.map((figure) => figureCell(figure, unit, target)), ...others]
})

/** How many a second, from the microseconds that all of them took. */
export const rateCell = (count: number, micros: number): string =>
  shown(Math.round((count * 1_000_000) / micros), "")

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** Rows that say the same become one row, with all their names. */
export const joinAlike = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const alike = Map.groupBy(rows, ({ cells, target }) => [target, ...cells].join("\n"))
  return [...alike.values()].map((same) => {
    const names = same.flatMap(({ labels }) => labels)
    return { target: "", cells: [], ...same[0], labels: [names.join(", ")] }
  })
}

/** A table in which nothing is wanted has no column for targets. */
export const markdownOf = ({ headings, measured, rows }: Table): string => {
  const hasTargets = rows.some(({ target }) => target !== "")
  const columns = hasTargets ? ["target", ...measured] : measured
  return [
    line([...headings, ...columns]),
    line([...headings.map(() => "---"), ...columns.map(() => "---:")]),
    ...rows.map(({ cells, labels, target }) =>
      line([...labels, ...(hasTargets ? [target] : []), ...cells])
    )
  ].join("\n")
}

/** Replaces what the document has between the comment with this name and the next `end`. */
export const withPart = (document: string, name: string, part: string): string => {
  const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- end -->)`)
  if (!place.test(document)) throw new Error(`The document has no place for ${name}`)
  return document.replace(place, (_, begin: string, end: string) => `${begin}\n${part}\n${end}`)
}
