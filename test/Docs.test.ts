import GithubSlugger from "github-slugger"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, it } from "vitest"
import { blocks, fill } from "../docs/generated.ts"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```(?:ts|js|sh|python|php|go)\n([\s\S]*?)```/g
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  // typedoc checks the links of docs/reference.
  ...globSync("docs/**/*.md", { exclude: ["docs/reference/**"] }),
  ...globSync("packages/*/README.md")
]

/** The anchors that GitHub and the site make from the headings. */
const anchorsOf = (document: string): ReadonlyArray<string> => {
  const slugger = new GithubSlugger()
  const prose = readFileSync(document, "utf8").replace(/^```[\s\S]*?^```/gm, "")
  const headings = prose.matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = ""]) => slugger.slug(heading.replaceAll("`", "")))
}

const isThere = (document: string, link: string): boolean => {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? document : join(dirname(document), path)
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor))
}

it.each(documents)("%s links only to files and headings that exist", (document) => {
  const links = readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)]+)\)/g)
  const missing = [...links].filter(([, link = ""]) => !isThere(document, link))
  expect(missing.map(([, link]) => link)).toEqual([])
})

it("docs/decisions/README.md lists every decision", () => {
  const list = readFileSync("docs/decisions/README.md", "utf8")
  const decisions = globSync("docs/decisions/0*.md").map((path) => basename(path))
  expect(decisions.filter((name) => !list.includes(`](${name})`))).toEqual([])
})

it.each(documents)("%s quotes the programs of examples/ without changes", (document) => {
  const content = readFileSync(document, "utf8")
  const quotes = [...content.matchAll(quote)]
  for (const [, example = "", code] of quotes) {
    expect(code, `run npx -y pnpm@12 quote after a change of ${example}`).toBe(
      readFileSync(example, "utf8")
    )
  }
  const programs = content.match(/^```(ts|js|python|php|go)\b/gm)?.length ?? 0
  expect(programs).toBe(quotes.filter(([whole]) => !whole.includes("\n```sh\n")).length)
})

/** The files of public types whose fields must have docstrings. */
const documentedTypes = [
  "operations/Model.ts",
  "call/ServiceOptions.ts",
  "errors/ClientFailures.ts",
  "promise/Types.ts"
]

it.each(documentedTypes)("every public field in core's %s has a docstring", (file) => {
  const lines = readFileSync(`packages/core/src/${file}`, "utf8").split("\n")
  const fields = lines.flatMap((line, at) => {
    const [, name] = /^  readonly (\w+)\??:/.exec(line) ?? []
    return name === undefined ? [] : [{ name, above: lines[at - 1]?.trim() }]
  })
  expect(fields.length).toBeGreaterThan(2)
  const bare = fields.filter(({ above, name }) => name !== "_tag" && above?.endsWith("*/") !== true)
  expect(bare).toEqual([])
})

it.each([
  ["docs/hosts.md", 3],
  ["docs/mcp.md", 1],
  ["docs/mcp-reference.md", 2],
  ["docs/runtimes.md", 1]
] as const)("%s has %i generated blocks, which are up to date", (document, count) => {
  const content = readFileSync(document, "utf8")
  expect(content.match(/<!-- made: /g)).toHaveLength(count)
  // The transcript is of a program that takes seconds: Examples.full.test.ts runs it.
  const names = Object.keys(blocks).filter((name) => name !== "transcript")
  expect(fill(content, names), "run npx -y pnpm@12 quote").toBe(content)
})
