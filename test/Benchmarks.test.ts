/**
 * Checks that docs/benchmarks.md shows what was measured.
 */
import { expect, it } from "@effect/vitest"
import { slug } from "github-slugger"
import { existsSync, readFileSync } from "node:fs"
import { documentOf } from "../bench/report/document.ts"
import { readResults, Results } from "../bench/report/results.ts"
import { reaches } from "../bench/report/rows.ts"
import { sectionTexts } from "../bench/report/sectionTexts.ts"

const document = readFileSync("docs/benchmarks.md", "utf8")

/** Fails if results.json does not match its schema. */
const results = readResults()

const sections = Object.entries(results.sections)

it("docs/benchmarks.md is rendered from bench/results.json", () => {
  expect(document, "made by npx -y pnpm@12 bench").toBe(documentOf(results))
})

it("every section was measured and has a text", () => {
  const names = Object.keys(Results.fields.sections.fields)
  expect(Object.keys(results.sections).toSorted()).toEqual(names.toSorted())
  expect(sectionTexts.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
})

it("every image of the document exists, in light and dark", () => {
  const images = [...document.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, image = ""]) => image)
  expect(images.length).toBeGreaterThan(0)
  expect(images.filter((image) => !existsSync(`docs/${image}`))).toEqual([])
  const light = images.filter((image) => image.endsWith("-light.svg"))
  expect(images.filter((image) => image.endsWith("-dark.svg"))).toEqual(
    light.map((image) => image.replace("-light", "-dark"))
  )
})

it.each(sections)("each figure of %s has a unit and a column", (name, { rows, units }) => {
  const columns = sectionTexts.find((text) => text.name === name)?.columns.map(({ of }) => of) ?? []
  const labels = rows.flatMap((row) => Object.keys(row.labels))
  const figures = rows.flatMap(({ values }) => Object.keys(values))
  expect(figures.filter((figure) => units[figure] === undefined)).toEqual([])
  expect([...labels, ...figures].filter((of) => !columns.includes(of))).toEqual([])
})

it.each(sections)("each verdict of %s agrees with its figure and its target", (_, { rows }) => {
  const wrong = rows.flatMap(({ labels, targets, values }) =>
    targets
      .filter((target) => reaches(target, values[target.of] ?? Number.NaN) !== target.isMet)
      .map(({ of }) => ({ ...labels, of }))
  )
  expect(wrong).toEqual([])
})

it("the document begins with the targets that are met and those that are not, and each line links to a table", () => {
  const [, better = "", notYet = ""] =
    /\n## Targets that are met\n([^#]+(?:#[^#]+)*?)\n## Targets that are not met\n([\s\S]+?)\n## /.exec(
      document
    ) ?? []
  const linksIn = (part: string) =>
    [...part.matchAll(/\(#([\w-]+)\)/g)].map(([, link = ""]) => link)
  const titles = [...document.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title)
  const headings = new Set(titles.map((title) => slug(title)))
  const links = [...linksIn(better), ...linksIn(notYet)]
  expect(links.filter((link) => !headings.has(link))).toEqual([])
  const judged = sections.filter(([, { rows }]) => rows.some(({ targets }) => targets.length > 0))
  const linked = sectionTexts.filter(({ title }) => links.includes(slug(title)))
  expect(linked.map(({ name }) => name).toSorted()).toEqual(judged.map(([name]) => name).toSorted())
})
