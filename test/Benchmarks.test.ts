/**
 * Checks that docs/benchmarks.md and bench/tables.md show what was measured.
 */
import { expect, it } from "@effect/vitest"
import { slug } from "github-slugger"
import { existsSync, readFileSync } from "node:fs"
import { documentOf, tablesOf } from "../bench/document.ts"
import { reaches, readResults, Results } from "../bench/results.ts"
import { texts } from "../bench/texts.ts"

const document = readFileSync("docs/benchmarks.md", "utf8")

/** Fails if results.json does not match its schema. */
const results = readResults()

const sections = Object.entries(results.sections)

it.each([
  ["docs/benchmarks.md", documentOf],
  ["bench/tables.md", tablesOf]
] as const)("%s is rendered from bench/results.json", (file, render) => {
  expect(readFileSync(file, "utf8"), "made by npx -y pnpm@12 bench").toBe(render(results))
})

it("every section was measured and has a text", () => {
  const names = Object.keys(Results.fields.sections.fields)
  expect(Object.keys(results.sections).toSorted()).toEqual(names.toSorted())
  expect(texts.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
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
  const columns = Object.keys(texts.find((text) => text.name === name)?.columns ?? {})
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

it("the table of targets counts each target that was missed", () => {
  const rows = [
    ...document.matchAll(/^\| \[.+\]\(\.\.\/bench\/tables\.md#(.+?)\).* \| (met|\*\*.+\*\*) \|$/gm)
  ]
  const anchors = new Set(texts.map(({ title }) => slug(title)))
  expect(rows.filter(([, anchor = ""]) => !anchors.has(anchor))).toEqual([])
  const targets = sections.flatMap(([, section]) => section.rows.flatMap((row) => row.targets))
  const missed = rows.reduce((sum, [, , verdict = ""]) => {
    const [met = "0", all = "0"] = verdict.match(/\d+/g) ?? []
    return sum + Number(all) - Number(met)
  }, 0)
  expect(missed).toBe(targets.filter(({ isMet }) => !isMet).length)
})
