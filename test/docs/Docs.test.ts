import GithubSlugger from "github-slugger"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, it } from "vitest"
import { fill } from "../../docs/generated.ts"
import { endpoints } from "../../packages/core/src/operations/Endpoints.ts"

const quote = /<!-- ((?:examples|test)\/\S+) -->\n```(?:ts|js|sh|python|java|csv)\n([\s\S]*?)```/g
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...globSync("docs/**/*.md"),
  ...globSync("packages/*/{README,AGENTS}.md")
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

it.each(documents)(
  "%s starts Node itself: npx and pnpm do not end a program that sends",
  (document) => {
    expect(readFileSync(document, "utf8")).not.toMatch(
      /\bnpx node\b|\bexec node (?:examples|\w+\.)/
    )
  }
)

it("pages and docstrings say how many operations there are, and the first page has their names", () => {
  const names = Object.keys(endpoints)
  const numerals = ["three", "four", "five", "six", "seven"]
  const numeral = new RegExp(`\\b(${numerals.join("|")}) (?:operations|endpoints)\\b`, "gi")
  const files = [...documents, ...globSync(["packages/*/src/**/*.ts", ".changeset/*.md"])]
  const counts = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(numeral)].map(([, word = ""]) => ({
      file,
      count: numerals.indexOf(word.toLowerCase()) + 3
    }))
  )
  expect(counts.length).toBeGreaterThan(20)
  expect(counts.filter(({ count }) => count !== names.length)).toEqual([])
  const [, rows = ""] =
    /^## The \w+ operations$([^]*?)^Each /m.exec(readFileSync("README.md", "utf8")) ?? []
  expect([...rows.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(names)
})

it("the menu of the site has every page, and what a page includes is there", () => {
  const pages = globSync("docs/*.md").filter((path) => basename(path) !== "index.md")
  const config = readFileSync("docs/.vitepress/config.ts", "utf8")
  const groups = [...config.matchAll(/group\(\s*"[^"]+",\s*"([^"]+)"/g)]
  const menu = groups.flatMap(([, names = ""]) => names.split(" "))
  expect(menu.toSorted()).toEqual(pages.map((path) => basename(path, ".md")).toSorted())
  const included = pages.flatMap((path) => [
    ...readFileSync(path, "utf8").matchAll(/@include: ([^{]+)\{/g)
  ])
  expect(included.length).toBeGreaterThan(4)
  expect(included.filter(([, path = ""]) => !isThere("docs/index.md", path))).toEqual([])
})

it("docs/decisions/README.md lists every decision", () => {
  const list = readFileSync("docs/decisions/README.md", "utf8")
  const decisions = globSync("docs/decisions/0*.md").map((path) => basename(path))
  expect(decisions.filter((name) => !list.includes(`](${name})`))).toEqual([])
})

it.each(globSync("packages/*/AGENTS.md"))("%s is published, and names what is there", (file) => {
  const folder = dirname(file)
  const { files }: { readonly files: ReadonlyArray<string> } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8")
  )
  expect(files).toContain(basename(file))
  const sources = globSync(join(folder, "src/**/*.ts")).map((path) => readFileSync(path, "utf8"))
  const named = [...readFileSync(file, "utf8").matchAll(/`([\w/]+(?:\.ts)?)[`(]/g)]
  const missing = named
    .map(([, name = ""]) => name)
    .filter((name) =>
      name.includes("/")
        ? !existsSync(join(folder, name))
        : !sources.some((text) => text.includes(name))
    )
  expect(named.length).toBeGreaterThan(8)
  expect(missing).toEqual([])
})

it("examples/README.md lists every program, and of the demo its first file", () => {
  const list = readFileSync("examples/README.md", "utf8")
  const programs = globSync("examples/**/*.{ts,cjs,py,java,sh,csv}").filter(
    (file) => dirname(file) !== join("examples", "demo") || basename(file) === "main.ts"
  )
  expect(programs.filter((file) => !list.includes(`](../${file.replaceAll("\\", "/")})`))).toEqual(
    []
  )
})

it.each(documents)("%s quotes the programs of examples/ without changes", (document) => {
  const content = readFileSync(document, "utf8")
  const quotes = [...content.matchAll(quote)]
  for (const [, example = "", code] of quotes) {
    expect(code, `run npx -y pnpm@12 quote after a change of ${example}`).toBe(
      readFileSync(example, "utf8")
    )
  }
  const programs = content.match(/^```(ts|js|python|java|csv)\b/gm)?.length ?? 0
  expect(programs).toBe(quotes.filter(([whole]) => !whole.includes("\n```sh\n")).length)
})

/** The files of public types whose fields must have docstrings. */
const documentedTypes = [
  "operations/Model.ts",
  "call/Options.ts",
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

const declaration =
  /^export (?:declare )?(?:abstract )?(?:const|class|interface|type|function|namespace) (\w+)/

/** Returns each export of a module and whether a docstring stands above a declaration of it. */
const exportsOf = (file: string): ReadonlyMap<string, boolean> => {
  const found = new Map<string, boolean>()
  const add = (name: string, isDocumented: boolean) =>
    found.set(name, isDocumented || found.get(name) === true)
  const text = readFileSync(file, "utf8")
  const lines = text.split("\n")
  for (const [at, line] of lines.entries()) {
    const [, name] = declaration.exec(line) ?? []
    if (name !== undefined) add(name, lines[at - 1]?.trim().endsWith("*/") === true)
  }
  const reexports = text.matchAll(/^export (?:type )?(\*(?: as \w+)?|\{[^}]*\}) from "(\.[^"]+)"/gm)
  for (const [, names = "", target = ""] of reexports) {
    const all = exportsOf(join(dirname(file), target))
    const chosen = names.startsWith("*") ? all.keys() : names.matchAll(/(\w+)(?: as \w+)?\s*[,}]/g)
    for (const each of chosen) {
      const name = typeof each === "string" ? each : (each[1] ?? "")
      // A name that is only passed on there has its docstring elsewhere.
      add(name, all.get(name) !== false)
    }
  }
  return found
}

const entries = globSync("packages/*/package.json").flatMap((file) => {
  const { exports }: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(file, "utf8")
  )
  return Object.entries(exports).flatMap(([entry, target]) => {
    const source = (target as { readonly node?: string }).node ?? String(target)
    // For our own packages; `/internal/node` exports nothing.
    const isPublic =
      !["./internal", "./internal/node"].includes(entry) && /^\.\/src\/[^*]+\.ts$/.test(source)
    return isPublic ? [join(dirname(file), source)] : []
  })
})

it.each(entries)("every export of %s has a docstring", (file) => {
  const exported = [...exportsOf(file)]
  expect(exported).not.toEqual([])
  expect(exported.filter(([, isDocumented]) => !isDocumented).map(([name]) => name)).toEqual([])
})

it.each([
  ["docs/mcp-reference.md", 3],
  ["docs/runtimes.md", 1]
] as const)("%s has %i generated blocks, which are up to date", (document, count) => {
  const content = readFileSync(document, "utf8")
  expect(content.match(/<!-- made: /g)).toHaveLength(count)
  expect(fill(content), "run npx -y pnpm@12 quote").toBe(content)
})

it("a package that an example names with a version is tested in that version", () => {
  const catalog = readFileSync("pnpm-workspace.yaml", "utf8")
  const named = globSync("examples/engines/*.ts").flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/`(@?[\w/-]+)@([\d.]+)`/g)
  ])
  expect(named).toHaveLength(2)
  for (const [, name, version] of named) {
    expect(catalog).toMatch(new RegExp(`^  "?${name}"?: ${version}\\.`, "m"))
  }
})
