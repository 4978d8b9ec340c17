/**
 * What a part of the benchmarks has to say, as Markdown.
 */

export type Row = ReadonlyArray<string>

export interface Section {
  readonly title: string
  readonly text: string
  readonly columns: Row
  readonly rows: ReadonlyArray<Row>
}

/** The last two columns of every table. */
export const targetColumns: Row = ["target", "result"]

export interface Target {
  readonly text: string
  readonly isMet: boolean
}

export const atMost = (limit: number, value: number, show: (limit: number) => string): Target => ({
  text: `≤ ${show(limit)}`,
  isMet: value <= limit
})

/** The cells of those columns. No target: nothing was promised of that row. */
export const verdict = (...targets: ReadonlyArray<Target>): Row =>
  targets.length === 0
    ? ["", ""]
    : [
        targets.map(({ text }) => text).join(", "),
        targets.map(({ isMet }) => (isMet ? "met" : "not met")).join(", ")
      ]

export const times = (ratio: number): string => `${ratio.toFixed(2)}×`

const isFigure = (cell: string): boolean => /^-?\d/.test(cell)

/** Figures stand to the right. */
const rule = (cells: Row): string => {
  const filled = cells.filter((cell) => cell !== "")
  return filled.length > 0 && filled.every(isFigure) ? "---:" : "---"
}

const line = (cells: Row): string => `| ${cells.join(" | ")} |`

const table = ({ columns, rows }: Section): string => {
  const rules = columns.map((_, index) => rule(rows.map((cells) => cells[index] ?? "")))
  return [columns, rules, ...rows].map(line).join("\n")
}

export const render = (section: Section): string =>
  `## ${section.title}\n\n${section.text}\n\n${table(section)}\n`
