/**
 * Renders the results: docs/benchmarks.md has the plots and the targets, bench/tables.md has every figure.
 */
import { slug } from "github-slugger"
import { type Results, type Row, type Section, shown, type Unit } from "./results.ts"
import { type SectionText, texts } from "./texts.ts"

/** Whether a figure is shown without its unit. */
const isBare = (unit: Unit | undefined): boolean =>
  unit === undefined || unit === "×" || unit === "count"

const titleOf = ([of, title]: readonly [string, string], { units }: Section): string => {
  const unit = units[of]
  if (unit === undefined || isBare(unit)) return title
  return title === "" ? unit : `${title}, ${unit}`
}

/** Names the column of each target if a row has targets for several columns. */
const targetsOf = ({ targets }: Row, { units }: Section, { columns }: SectionText): string =>
  targets
    .map(({ is, isMet, limit, of }) => {
      const unit = units[of]
      const title = targets.length > 1 ? `${columns[of] ?? ""} ` : ""
      const figure = isBare(unit) ? shown(limit, unit) : `${shown(limit, unit)} ${unit}`
      return `${title}${is === "at most" ? "≤" : "≥"} ${figure}: ${isMet ? "met" : "**not met**"}`
    })
    .join("<br>")

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = (text: SectionText, section: Section): string => {
  const columns = Object.entries(text.columns).filter(([of]) =>
    section.rows.some(({ labels, values }) => of in labels || of in values)
  )
  const cell = (of: string, { labels, values }: Row): string =>
    values[of] === undefined ? (labels[of] ?? "") : shown(values[of], section.units[of])
  return [
    line([...columns.map((column) => titleOf(column, section)), "target"]),
    line([...columns.map(([of]) => (of in section.units ? "---:" : "---")), "---"]),
    ...section.rows.map((row) =>
      line([...columns.map(([of]) => cell(of, row)), targetsOf(row, section, text)])
    )
  ].join("\n")
}

const picture = ([name, alternative]: readonly [string, string]): string => `**${alternative}**

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="./images/bench-${name}-dark.svg">
  <img alt="${alternative}" src="./images/bench-${name}-light.svg">
</picture>
`

const render = ({ section, text }: Measured): string =>
  `## ${text.title}\n\n${text.text}\n\n${table(text, section)}\n`

const machineOf = ({ cores, platform, versions }: Results["machine"]): string =>
  `${cores} cores (${platform}), ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}`

interface Measured {
  readonly text: SectionText
  readonly section: Section
}

const measured = (results: Results): ReadonlyArray<Measured> =>
  texts.flatMap((text) => {
    const section = results.sections[text.name]
    return section === undefined ? [] : [{ text, section }]
  })

/** One row for all rows of a section that have the same target: the range of their figures, and how many meet it. */
const summaryOf = ({ section, text }: Measured): ReadonlyArray<string> => {
  const all = section.rows.flatMap(({ targets, values }) =>
    targets.map((target) => ({ target, value: values[target.of] ?? Number.NaN }))
  )
  const groups = Map.groupBy(all, ({ target: { is, limit, of } }) => `${of} ${is} ${limit}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { is, limit, of } = first.target
    const unit = section.units[of]
    const values = group.map(({ value }) => value)
    const shownValues = new Set(
      [Math.min(...values), Math.max(...values)].map((v) => shown(v, unit))
    )
    const met = group.filter(({ target }) => target.isMet).length
    return line([
      `[${text.title}](../bench/tables.md#${slug(text.title)})`,
      titleOf([of, text.columns[of] ?? ""], section),
      `${is === "at most" ? "≤" : "≥"} ${shown(limit, unit)}`,
      [...shownValues].join(" to "),
      met === group.length ? "met" : `**${met} of ${group.length}**`
    ])
  })
}

const targetTable = (sections: ReadonlyArray<Measured>): string =>
  [
    line(["benchmark", "figure", "target", "measured", ""]),
    line(["---", "---", "---:", "---:", "---"]),
    ...sections.flatMap(summaryOf)
  ].join("\n")

const how = `\`npx -y pnpm@12 bench\` makes this document in several minutes. With a name, such as \`bench mcp\`, it runs only that
benchmark. The document is rendered from [bench/results.json](results.json): do not edit it by hand.`

const accuracy = `The contenders of a table alternate within one run. Figures are medians of the rounds. A ratio is the median of the ratios of each
round. Ratios are accurate to about ±15 %. Times apply only to this machine.`

/** docs/benchmarks.md */
export const documentOf = (results: Results): string => {
  const sections = measured(results)
  const plots = sections.flatMap(({ text }) =>
    text.plot === undefined ? [] : [picture(text.plot)]
  )
  return `# Benchmarks

Rendered from [bench/results.json](../bench/results.json). [All figures](../bench/tables.md) say how each is measured, and with which
versions.

${plots.join("\n")}
## Targets

Each row is one target. Where several measurements have it, the row shows the lowest and the highest.

${targetTable(sections)}
`
}

/** bench/tables.md */
export const tablesOf = (results: Results): string => `# All figures of the benchmarks

${how} [Benchmarks](../docs/benchmarks.md) has the plots and the targets.

This run: ${machineOf(results.machine)}.

${accuracy}

${measured(results).map(render).join("\n")}`
