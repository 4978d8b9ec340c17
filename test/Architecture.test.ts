import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const text = readFileSync(at("docs/architecture.md"), "utf8")

/** Each change, with the paths in its row of the table. */
const changes = text
  .slice(text.indexOf("## Where to change what"))
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .map((line) => {
    const [, change = "", files = ""] = line.split("|")
    const paths = [...files.matchAll(/`([^` ]+\/[^` ]*)`/g)].map(([, path = ""]) => path)
    return [change.trim(), paths] as const
  })

describe("docs/architecture.md says which files a change needs, and they exist:", () => {
  it.each(changes)("%s", (_, paths) => {
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) {
      const existing = path.includes("<") ? path.slice(0, path.lastIndexOf("/")) : path
      expect(existsSync(at(`packages/${existing}`)), path).toBe(true)
    }
  })
})
