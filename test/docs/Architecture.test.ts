import { existsSync, globSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

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

/** The paths of other modules in imports and exports, of types too. */
const importPath = /\b(?:from|import) ?\(?\s*"(\.[^"]+)"/g

/** Returns the folder of a module, or nothing for a module beside the folders. */
const folderOf = (path: string): string | undefined => {
  const [folder, ...rest] = path.split(sep)
  return rest.length === 0 ? undefined : folder
}

/** Returns an example of an import for each pair of folders, by `from -> to`. */
const arrowsIn = (src: string): ReadonlyMap<string, string> => {
  const arrows = new Map<string, string>()
  for (const file of globSync("**/*.{ts,mts}", { cwd: src })) {
    const from = folderOf(file)
    for (const [, target = ""] of readFileSync(join(src, file), "utf8").matchAll(importPath)) {
      const to = folderOf(relative(src, join(src, file, "..", target)))
      if (from !== undefined && to !== undefined && from !== to && to !== "..") {
        arrows.set(`${from} -> ${to}`, `${file} imports ${target}`)
      }
    }
  }
  return arrows
}

it.each(globSync("packages/*/src", { cwd: at("") }))(
  "no two folders of %s import each other",
  (src) => {
    const arrows = arrowsIn(at(src))
    const mutual = [...arrows].flatMap(([arrow, example]) => {
      const [from = "", to = ""] = arrow.split(" -> ")
      const back = arrows.get(`${to} -> ${from}`)
      return back === undefined || from > to ? [] : [`${from} and ${to}: ${example}; ${back}`]
    })
    expect(mutual).toEqual([])
  }
)
