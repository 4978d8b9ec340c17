import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, expect, it } from "vitest"
import { sandboxed, sandboxSettings } from "../support/Programs.ts"

const root = join(import.meta.dirname, "../..")

/** Beside the packages, because Node runs no TypeScript below node_modules. */
const folder = mkdtempSync(join(root, "test/core/docstrings-"))
afterAll(() => rmSync(folder, { recursive: true }))

const source = join(root, "packages/core/src")

const examples = globSync("**/*.ts", { cwd: source }).flatMap((path) => {
  const found = readFileSync(join(source, path), "utf8").matchAll(
    /@example\n[ *]+```ts\n([^]*?)\n[ *]+```[^]*?\*\/\s+(?:export const|static readonly) (\w+)/g
  )
  return [...found].map(([, code = "", name = ""]) => {
    const program = code.replaceAll(/^ +\* ?/gm, "")
    const file = join(folder, `${basename(path, ".ts")}-${name}.ts`)
    writeFileSync(file, `${program}\nexport {}\n`)
    return { of: `${name} of ${path}`, file, program }
  })
})

/** What the comments say that the program prints. */
const printedBy = (program: string): ReadonlyArray<string> =>
  [...program.matchAll(/(?:console\.log|Console\.log)\(.*\) \/\/ (.+)|^\/\/ (.+)$/gm)].map(
    ([, beside, below]) => beside ?? below ?? ""
  )

const statics = ["layer", "make"].map((name) => [name, "MessagingTopup.ts"])

/** The public functions and layers, by the module that defines them. */
const publicNames = async (): Promise<ReadonlyArray<string>> => {
  const entries = ["", "/fetch", "/node", "/openapi", "/phone", "/promise"]
  const modules: ReadonlyArray<object> = await Promise.all(
    entries.map((entry) => import(`@messaging-topup/core${entry}`))
  )
  const exported = modules.flatMap(Object.entries)
  return exported
    .filter(
      ([name, value]) =>
        /^[a-z]/.test(name) && (typeof value === "function" || Layer.isLayer(value))
    )
    .map(([name]) => name)
}

it("every public function and layer of core has an example", async () => {
  const names = examples.map(({ of }) => of)
  for (const name of [...(await publicNames()), "preview", "OnRequestStart"]) {
    expect(names).toContainEqual(expect.stringMatching(new RegExp(`^${name} of `)))
  }
  for (const [name, path] of statics) expect(names).toContain(`${name} of ${path}`)
  expect(names).toContain("createClient of promise/Fetch.ts")
  expect(names).toContain("layer of transport/FetchTransport.ts")
  expect(names).toContain("layer of transport/NodeTransport.ts")
})

it("the examples in docstrings have no type error", () => {
  const settings = {
    extends: "../../../tsconfig.base.json",
    compilerOptions: {
      noEmit: true,
      composite: false,
      declaration: false,
      declarationMap: false,
      lib: ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable"],
      types: ["node"]
    },
    include: ["."]
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], {
    encoding: "utf8"
  })
  expect(stdout).toBe("")
})

/** Runs the examples in one process, one after the other, and prints what each has printed. */
const runner = `
  import { format } from "node:util"
  const print = console.log
  const printed = []
  for (const file of process.argv.slice(2)) {
    const lines = []
    console.log = (...values) => lines.push(format(...values))
    await import(file)
    printed.push(lines)
  }
  print(JSON.stringify(printed))
`

it("the examples in docstrings print what their comments say", () =>
  Effect.gen(function* () {
    const env = { ...process.env, ...(yield* sandboxSettings) }
    const main = join(folder, "main.js")
    writeFileSync(main, runner)
    const { stdout } = yield* Effect.promise(() =>
      promisify(execFile)(process.execPath, [main, ...examples.map(({ file }) => file)], { env })
    )
    const printed: ReadonlyArray<unknown> = JSON.parse(stdout)
    expect(printed.map((lines, nth) => [examples[nth]?.of, lines])).toEqual(
      examples.map(({ of, program }) => [of, printedBy(program)])
    )
    expect(examples.filter(({ program }) => printedBy(program).length === 0)).toEqual([])
  }).pipe(sandboxed, Effect.runPromise))
