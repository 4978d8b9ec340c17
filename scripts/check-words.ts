/**
 * Counts the words of the documents, and fails where they exceed the limits: readers stumble over length. Code blocks count.
 */
import { globSync, readFileSync } from "node:fs"

const groups = [
  { title: "README.md", limit: 750, files: ["README.md"] },
  {
    title: "docs, without decisions",
    limit: 16_000,
    files: globSync("docs/*.md")
  },
  { title: "docs/decisions", limit: 4_500, files: globSync("docs/decisions/*.md") },
  { title: "READMEs of packages", limit: 5_000, files: globSync("packages/*/README.md") }
]

const wordsOf = (file: string): number =>
  readFileSync(file, "utf8")
    .split(/\s+/)
    .filter((word) => word !== "").length

for (const { files, limit, title } of groups) {
  const counts = files.map((file) => ({ file, words: wordsOf(file) }))
  const sum = counts.reduce((total, { words }) => total + words, 0)
  console.log(`${title}: ${sum} words, at most ${limit}`)
  if (sum <= limit) continue
  for (const { file, words } of counts.toSorted((one, other) => other.words - one.words)) {
    console.error(`  ${words} ${file}`)
  }
  process.exitCode = 1
}
