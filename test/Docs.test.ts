import { expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```ts\n([\s\S]*?)```/g
const documents = ["README.md", ...globSync("docs/**/*.md"), ...globSync("packages/*/README.md")]

it.each(documents)("%s quotes programs that are in examples/, as they are", (document) => {
  const content = readFileSync(document, "utf8")
  const quotes = [...content.matchAll(quote)]
  for (const [, example = "", code] of quotes) {
    expect(code, `run .ci/quote.ts after a change of ${example}`).toBe(
      readFileSync(example, "utf8")
    )
  }
  expect(content.match(/^```(ts|js)/gm)?.length ?? 0).toBe(quotes.length)
})
