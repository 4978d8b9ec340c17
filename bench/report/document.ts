/**
 * Renders docs/benchmarks.md from the results.
 */
import { slug } from "github-slugger"
import { isBare, limitOf, shown, verdictOf } from "./figures.ts"
import type { Results, Row, Section } from "./results.ts"
import { type Column, type SectionText, sectionTexts } from "./sectionTexts.ts"
import { summary } from "./summary.ts"

const titleOf = ({ of, title }: Column, { units }: Section): string => {
  const unit = units[of]
  if (unit === undefined || isBare(unit)) return title
  return title === "" ? unit : `${title}, ${unit}`
}

const cellOf = ({ of }: Column, { labels, values }: Row, { units }: Section): string => {
  const value = values[of]
  return value === undefined ? (labels[of] ?? "") : shown(value, units[of])
}

/** Names the column of each target if a row has targets for several columns. */
const targetCell = ({ targets }: Row, section: Section, columns: ReadonlyArray<Column>): string =>
  targets
    .map((target) => {
      const title = columns.find(({ of }) => of === target.of)?.title ?? ""
      const limit = limitOf(target, section.units[target.of])
      return targets.length > 1 && title !== "" ? `${title} ${limit}` : limit
    })
    .join(", ")

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = ({ columns }: SectionText, section: Section): string => {
  const used = columns.filter(({ of }) =>
    section.rows.some(({ labels, values }) => of in labels || of in values)
  )
  const isFigure = ({ of }: Column) => of in section.units
  return [
    line([...used.map((column) => titleOf(column, section)), "target", "result"]),
    line([...used.map((column) => (isFigure(column) ? "---:" : "---")), "---", "---"]),
    ...section.rows.map((row) =>
      line([
        ...used.map((column) => cellOf(column, row, section)),
        targetCell(row, section, columns),
        row.targets.map(verdictOf).join(", ")
      ])
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

const contents = (results: Results): string =>
  sectionTexts
    .filter(({ name }) => results.sections[name] !== undefined)
    .map(({ title }) => `[${title}](#${slug(title)})`)
    .join(" · ")

export const documentOf = (results: Results): string =>
  [
    `# Benchmarks

\`npx -y pnpm@12 bench\` makes this document in about a quarter of an hour. With a name, such as \`bench mcp\`, it runs only that
benchmark. The document is rendered from [bench/results.json](../bench/results.json): do not edit it by hand.

This run: ${machineOf(results.machine)}.

The contenders of a table alternate within one run. Figures are medians of the rounds. A ratio is the median of the ratios of each
round. Ratios are accurate to about ±15 %. Times apply only to this machine.

${contents(results)}
`,
    summary(results),
    ...sectionTexts.flatMap((text) => {
      const section = results.sections[text.name]
      return section === undefined ? [] : [render(text, section)]
    })
  ].join("\n")
