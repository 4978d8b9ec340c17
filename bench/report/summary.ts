/**
 * The beginning of the document: the targets that are met, then those that are not. Each line links to its table.
 */
import { slug } from "github-slugger"
import { limitOf, shown, withUnit } from "./figures.ts"
import type { Results, Section, Target } from "./results.ts"
import { type SectionText, sectionTexts } from "./sectionTexts.ts"

interface Asked {
  readonly of: string
  readonly subject: string
  readonly target: Target
  readonly value: number
}

const askedIn = ({ subject }: SectionText, { rows }: Section): ReadonlyArray<Asked> =>
  rows.flatMap(({ labels, targets, values }) =>
    targets.map((target) => ({
      of: target.of,
      subject: labels[subject ?? ""] ?? "",
      target,
      value: values[target.of] ?? Number.NaN
    }))
  )

const rangeOf = (asked: ReadonlyArray<Asked>, { units }: Section): string => {
  const [{ of } = { of: "" }] = asked
  const values = asked.map(({ value }) => value)
  const least = Math.min(...values)
  const most = Math.max(...values)
  return least === most
    ? withUnit(most, units[of])
    : `${shown(least, units[of])} to ${withUnit(most, units[of])}`
}

interface Line {
  readonly isMet: boolean
  readonly text: string
}

/** A title such as "ours relative to it" contains the subject. */
const wordsOf = (subject: string, title: string): string =>
  title.endsWith(" it")
    ? title.replace(/it$/, subject)
    : [subject, title].filter((word) => word !== "").join(", ")

const lineOf = (text: SectionText, section: Section, asked: ReadonlyArray<Asked>): Line => {
  const [{ of, subject } = { of: "", subject: "" }] = asked
  const title = text.columns.find((column) => column.of === of)?.title ?? ""
  const limits = [...new Set(asked.map(({ target }) => limitOf(target, section.units[of])))]
  const met = asked.filter(({ target }) => target.isMet).length
  const isMet = met === asked.length
  const words = wordsOf(subject, title)
  const share = isMet || asked.length === 1 ? "" : `, met in ${met} of ${asked.length}`
  return {
    isMet,
    text: `- [${text.title}](#${slug(text.title)}): ${words === "" ? "" : `${words}: `}**${rangeOf(asked, section)}** (target ${limits.join(" or ")}${share})`
  }
}

const linesOf = (results: Results): ReadonlyArray<Line> =>
  sectionTexts.flatMap((text) => {
    const section = results.sections[text.name]
    if (section === undefined) return []
    const groups = Map.groupBy(askedIn(text, section), ({ of, subject }) => `${of} of ${subject}`)
    return [...groups.values()].map((asked) => lineOf(text, section, asked))
  })

export const summary = (results: Results): string => {
  const lines = linesOf(results)
  const listOf = (title: string, isMet: boolean) =>
    `## ${title}\n\n${lines
      .filter((line) => line.isMet === isMet)
      .map(({ text }) => text)
      .join("\n")}\n`
  return `${listOf("Targets that are met", true)}\n${listOf("Targets that are not met", false)}`
}
