import { expect, it } from "@effect/vitest"
import GithubSlugger from "github-slugger"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fill } from "../docs/generated.ts"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```(?:ts|sh|python|go)\n([\s\S]*?)```/g
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  // Of docs/reference typedoc checks the links.
  ...globSync("docs/**/*.md", { exclude: ["docs/reference/**"] }),
  ...globSync("packages/*/README.md")
]

/** As GitHub and the site make them of the headings. */
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

it.each(documents)("%s links to files and headings that are there", (document) => {
  const links = readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)]+)\)/g)
  const missing = [...links].filter(([, link = ""]) => !isThere(document, link))
  expect(missing.map(([, link]) => link)).toEqual([])
})

it("the decisions are listed", () => {
  const list = readFileSync("docs/decisions/README.md", "utf8")
  const decisions = globSync("docs/decisions/0*.md").map((path) => basename(path))
  expect(decisions.filter((name) => !list.includes(`](${name})`))).toEqual([])
})

it.each(documents)("%s quotes programs that are in examples/, as they are", (document) => {
  const content = readFileSync(document, "utf8")
  const quotes = [...content.matchAll(quote)]
  for (const [, example = "", code] of quotes) {
    expect(code, `run .ci/quote.ts after a change of ${example}`).toBe(
      readFileSync(example, "utf8")
    )
  }
  const programs = content.match(/^```(ts|js|python|go)\b/gm)?.length ?? 0
  expect(programs).toBe(quotes.filter(([whole]) => !whole.includes("\n```sh\n")).length)
})

/** Public types whose fields an editor explains. */
const explained = [
  "Model.ts",
  "MessagingTopupOptions.ts",
  "NodeTransportOptions.ts",
  "AwaitSmsStatus.ts",
  "promise/Types.ts"
]

it.each(explained)("every public field of core's %s has hover text", (file) => {
  const lines = readFileSync(`packages/core/src/${file}`, "utf8").split("\n")
  const fields = lines.flatMap((line, at) => {
    const [, name] = /^  readonly (\w+)\??:/.exec(line) ?? []
    return name === undefined ? [] : [{ name, above: lines[at - 1]?.trim() }]
  })
  expect(fields.length).toBeGreaterThan(3)
  const bare = fields.filter(({ above, name }) => name !== "_tag" && above?.endsWith("*/") !== true)
  expect(bare).toEqual([])
})

it.each([
  ["README.md", 2],
  ["docs/mcp.md", 3],
  ["docs/runtimes.md", 1]
] as const)("%s has its %i parts as the programs make them", (document, count) => {
  const content = readFileSync(document, "utf8")
  expect(content.match(/<!-- made: /g)).toHaveLength(count)
  expect(fill(content), "run npx -y pnpm@12 quote").toBe(content)
})
