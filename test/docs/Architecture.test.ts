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

it("the way of a send has at most 80 words of its own, each once, and the code has them", () => {
  const [section = ""] = text.slice(text.indexOf("## Words")).split("\n## ", 1)
  const words = [...section.matchAll(/^\| ([a-z][a-z ]*?) +\| /gm)].map(([, word = ""]) => word)
  expect(words.length).toBeGreaterThan(40)
  expect(words.length).toBeLessThanOrEqual(80)
  expect(new Set(words).size).toBe(words.length)
  const code = globSync("packages/*/src/**/*.ts", { cwd: at("") })
    .map((file) => readFileSync(at(file), "utf8"))
    .join("\n")
    .replaceAll(/([a-z])(?=[A-Z])|[-_]/g, "$1 ")
    .toLowerCase()
  expect(words.filter((word) => !code.includes(word))).toEqual([])
})

/** The paths of other modules in imports and exports, of types too. */
const importPath = /\b(?:from|import) ?\(?\s*"(\.[^"]+)"/g

/** What a file names its tests and documents with: a test without its ending, or a file with it. */
const fileName = /`([A-Z]\w+(?:\.(?:full|test-d|test))?|[\w/-]+\.(?:ts|txt|md))`/g

/** Every file of tests and documents, by its last names: `Failures`, `Failures.test.ts`, `failures/Failures.test.ts`. */
const known = new Set(
  globSync(["test/**/*.*", "docs/**/*.md", "packages/*/README.md", "*.md", "scripts/*.ts"], {
    cwd: at("")
  })
    .flatMap((file) => {
      const path = file.split(sep)
      return path.map((_, index) => path.slice(index).join("/"))
    })
    .flatMap((name) => [
      name,
      name.replace(/\.ts$/, ""),
      name.replace(/(\.full)?\.test(-d)?\.ts$/, "")
    ])
    .flatMap((name) => [name, name.replace(/\.test$/, "")])
)

it.each(["docs/architecture.md", "CONTRIBUTING.md"])(
  "%s names tests and documents that exist",
  (file) => {
    const rows = readFileSync(at(file), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| "))
    const last = rows.map((line) => line.split("|").at(-2) ?? "").join("\n")
    const named = [...last.matchAll(fileName)].map(([, name = ""]) => name)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  }
)

/** Returns the folder of a module; a module beside the folders is for itself. */
const folderOf = (path: string): string => path.split(sep)[0] ?? ""

/** Returns an example of an import for each pair of folders, by `from -> to`. */
const arrowsIn = (src: string): ReadonlyMap<string, string> => {
  const arrows = new Map<string, string>()
  for (const file of globSync("**/*.{ts,mts}", { cwd: src })) {
    const from = folderOf(file)
    for (const [, target = ""] of readFileSync(join(src, file), "utf8").matchAll(importPath)) {
      const to = folderOf(relative(src, join(src, file, "..", target)))
      if (from !== to && to !== "..") {
        arrows.set(`${from} -> ${to}`, `${file} imports ${target}`)
      }
    }
  }
  return arrows
}

/** The first way from a node back to itself, if there is one. */
const circleIn = (arrows: ReadonlyMap<string, ReadonlyArray<string>>): string | undefined => {
  const wayBack = (way: ReadonlyArray<string>): string | undefined => {
    for (const next of arrows.get(way.at(-1) ?? "") ?? []) {
      if (next === way[0]) return [...way, next].join(" -> ")
      const found = way.includes(next) ? undefined : wayBack([...way, next])
      if (found !== undefined) return found
    }
    return undefined
  }
  return [...arrows.keys()].map((start) => wayBack([start])).find((way) => way !== undefined)
}

const sources = globSync("packages/*/src", { cwd: at("") })

it.each(sources)(
  "folders and root files of %s import one way, also round a longer circle",
  (src) => {
    const arrows = Map.groupBy(arrowsIn(at(src)).keys(), (arrow) => arrow.split(" -> ")[0] ?? "")
    const targets = [...arrows].map(([from, all]) => {
      return [from, all.map((arrow) => arrow.split(" -> ")[1] ?? "")] as const
    })
    expect(circleIn(new Map(targets))).toBeUndefined()
  }
)

it.each([...sources, "test/harness"])("no two files of %s have one name", (src) => {
  const files = globSync("**/*.{ts,mts}", { cwd: at(src) })
  const names = Map.groupBy(files, (file) => file.split(sep).at(-1) ?? "")
  const double = [...names].filter(
    ([name, same]) => same.length > 1 && !/^(index|main)\.ts$/.test(name)
  )
  expect(double).toEqual([])
})

it("a promise has tests only, and takes its helpers from test/harness", () => {
  const files = globSync("test/**/*.ts", { cwd: at("") }).filter(
    (file) => !file.includes("harness")
  )
  expect(files.filter((file) => !/\.test(-d)?\.ts$/.test(file))).toEqual([])
  const imports = files.flatMap((file) =>
    [...readFileSync(at(file), "utf8").matchAll(importPath)].map(([, target = ""]) => target)
  )
  const others = imports.filter((target) =>
    /^\.\/(?!packages\/)|^\.\.\/(?!harness\/|\.\.\/)/.test(target)
  )
  expect(others).toEqual([])
})

/** The packages that each uses: the picture of the page. */
const uses: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  command: ["core"],
  journal: ["core"],
  sandbox: ["core"],
  cli: ["command", "core", "journal", "sandbox"],
  "mcp-server": ["command", "core", "journal", "sandbox"]
}

it.each(Object.entries(uses))("%s uses %j, in its code and in its manifest", (name, used) => {
  const code = globSync("src/**/*.{ts,mts}", { cwd: at(`packages/${name}`) })
    .map((file) => readFileSync(at(`packages/${name}/${file}`), "utf8"))
    .join("\n")
  const named = [...code.matchAll(/\b(?:from|import) ?\(?\s*"@messaging-topup\/([a-z-]+)/g)]
  const imported = new Set(named.map(([, other = ""]) => other))
  expect([...imported].filter((other) => other !== name).toSorted()).toEqual(used)
  const manifest: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
    readFileSync(at(`packages/${name}/package.json`), "utf8")
  )
  const listed = ["dependencies", "peerDependencies", "devDependencies"].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {})
  )
  const own = new Set(listed.filter((other) => other.startsWith("@messaging-topup/")))
  expect(new Set([...own].map((other) => other.split("/")[1]))).toEqual(new Set(used))
})

it("every package is in the picture, and no arrow runs back", () => {
  const packages = globSync("packages/*/package.json", { cwd: at("") })
  expect(new Set(packages.map((file) => file.split(sep)[1]))).toEqual(new Set(Object.keys(uses)))
  expect(circleIn(new Map(Object.entries(uses)))).toBeUndefined()
  expect(
    circleIn(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["a"]]
      ])
    )
  ).toBe("a -> b -> c -> a")
})
