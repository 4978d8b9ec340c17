/**
 * Updates the documents: the programs that they quote, each a block of code after a comment such as
 * `<!-- examples/x.ts -->`, and the blocks that generated.ts makes.
 */
import { describeVariables, fill } from "./generated.ts"
import { globSync, readFileSync, writeFileSync } from "node:fs"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```(ts|js|sh|python|java|csv)\n[\s\S]*?```/g

for (const document of [
  "README.md",
  ...globSync("docs/**/*.md"),
  ...globSync("packages/*/README.md")
]) {
  const content = readFileSync(document, "utf8")
  const quoted = content.replace(
    quote,
    (_, example: string, language: string) =>
      `<!-- ${example} -->\n\`\`\`${language}\n${readFileSync(example, "utf8")}\`\`\``
  )
  const filled = fill(quoted)
  if (filled !== content) writeFileSync(document, filled)
}

const registryEntry = "packages/mcp-server/server.json"
writeFileSync(registryEntry, describeVariables(readFileSync(registryEntry, "utf8")))
