/**
 * Writes the programs of examples/ into the documents that quote them:
 * `<!-- examples/x.ts -->` followed by a block of code.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```ts\n[\s\S]*?```/g

for (const document of [
  "README.md",
  ...globSync("docs/**/*.md"),
  ...globSync("packages/*/README.md")
]) {
  const content = readFileSync(document, "utf8")
  const quoted = content.replace(
    quote,
    (_, example: string) => `<!-- ${example} -->\n\`\`\`ts\n${readFileSync(example, "utf8")}\`\`\``
  )
  if (quoted !== content) writeFileSync(document, quoted)
}
