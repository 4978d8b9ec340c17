/**
 * Renders docs/benchmarks.md from the results.
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

const picture = ([name, alternative]: readonly [string, string]): string => `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="./images/bench-${name}-dark.svg">
  <img alt="${alternative}" src="./images/bench-${name}-light.svg">
</picture>

`

const render = (text: SectionText, section: Section): string =>
  `## ${text.title}\n\n${text.text}\n\n${text.plot === undefined ? "" : picture(text.plot)}${table(text, section)}\n`

const machineOf = ({ cores, platform, versions }: Results["machine"]): string =>
  `${cores} cores (${platform}), ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}`

/** A line of the list at the beginning: how many targets of a section are met. */
const share = ({ title }: SectionText, { rows }: Section): string => {
  const targets = rows.flatMap((row) => row.targets)
  const met = targets.filter(({ isMet }) => isMet).length
  return `- [${title}](#${slug(title)}): ${met} of ${targets.length}`
}

export const documentOf = (results: Results): string => {
  const sections = texts.flatMap((text) => {
    const section = results.sections[text.name]
    return section === undefined ? [] : [{ text, section }]
  })
  return `# Benchmarks

\`npx -y pnpm@12 bench\` makes this document in several minutes. With a name, such as \`bench mcp\`, it runs only that
benchmark. The document is rendered from [bench/results.json](../bench/results.json): do not edit it by hand.

This run: ${machineOf(results.machine)}.

The contenders of a table alternate within one run. Figures are medians of the rounds. A ratio is the median of the ratios of each
round. Ratios are accurate to about ±15 %. Times apply only to this machine.

Targets that are met:

${sections.map(({ section, text }) => share(text, section)).join("\n")}

${sections.map(({ section, text }) => render(text, section)).join("\n")}`
}
