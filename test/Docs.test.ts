import { expect, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fill } from "../docs/generated.ts"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```(?:ts|sh|python|go)\n([\s\S]*?)```/g
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...globSync("docs/**/*.md"),
  ...globSync("packages/*/README.md")
]

it.each(documents)("%s links to files that are there", (document) => {
  const links = readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)
  const missing = [...links].filter(([, link = ""]) => !existsSync(join(dirname(document), link)))
  expect(missing.map(([, link]) => link)).toEqual([])
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
  ["docs/mcp.md", 3]
] as const)("%s has its %i tables as the programs make them", (document, count) => {
  const content = readFileSync(document, "utf8")
  expect(content.match(/<!-- made: /g)).toHaveLength(count)
  expect(fill(content), "run npx -y pnpm@12 quote").toBe(content)
})
