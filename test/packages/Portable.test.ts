import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { build, type BuildOptions } from "esbuild"
import { builtinModules, createRequire } from "node:module"

const require = createRequire(import.meta.url)

/** One file, one file per runtime, or null for private modules (`./internal/*`). */
const Target = Schema.Union([
  Schema.String,
  Schema.Record(Schema.String, Schema.String),
  Schema.Null
])

const Manifest = Schema.Struct({ exports: Schema.Record(Schema.String, Target) })

/** The export conditions of runtimes without Node's modules. */
const portableConditions = ["bun", "workerd", "edge-light", "browser", "default"]

const { exports } = Schema.decodeUnknownSync(Manifest)(
  require("@messaging-topup/core/package.json")
)

/** Each entry with code, and the file that a browser gets. */
const modules = Object.entries(exports).flatMap(
  ([entry, target]): ReadonlyArray<readonly [entry: string, file: string]> => {
    const file = target === null || typeof target === "string" ? target : target["browser"]
    return file?.endsWith(".ts") === true ? [[entry, file]] : []
  }
)

const specifier = (entry: string) => entry.replace(".", "@messaging-topup/core")

const entries = modules.map(([entry]) => entry)
const portable = entries.filter((entry) => entry !== "./node")

const nodeModules = ["node:*", ...builtinModules, ...builtinModules.map((name) => `${name}/*`)]

type Options = Pick<BuildOptions, "define" | "ignoreAnnotations" | "packages" | "treeShaking">

/** Bundles source text for a browser. The remaining imports are modules that only Node has. */
const bundle = (source: string, options: Options = {}) =>
  Effect.promise(async () => {
    const { metafile, outputFiles } = await build({
      ...options,
      stdin: { contents: source, resolveDir: process.cwd(), loader: "ts" },
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
      target: "es2024",
      external: nodeModules,
      logLevel: "silent"
    })
    return {
      code: outputFiles.map(({ text }) => text).join(""),
      imports: Object.values(metafile.outputs)
        .flatMap(({ imports }) => imports)
        .filter(({ external }) => external === true)
        .map(({ path }) => path)
    }
  })

/** The entries with all of their dependencies, in one bundle. */
const whole = (...names: ReadonlyArray<string>) =>
  bundle(names.map((entry, at) => `export * as own${at} from "${specifier(entry)}"`).join("\n"))

// Effect only uses a global after it checks that it exists, which is fine. Our code uses none.
const nodeGlobals = [
  "Buffer",
  "__dirname",
  "__filename",
  "clearImmediate",
  "global",
  "module",
  "process",
  "require",
  "setImmediate"
]

const mark = "__only_in_node__"

const marks = Object.fromEntries(
  nodeGlobals.flatMap((name) => [
    [name, mark + name],
    [`globalThis.${name}`, mark + name]
  ])
)

/** Only our own code, also what is not used, with its globals marked. */
const own = (source: string) =>
  bundle(source, {
    define: marks,
    packages: "external",
    treeShaking: false,
    ignoreAnnotations: true
  })

const ownOf = (entry: string) =>
  own(`export * from "./packages/core/${new Map(modules).get(entry)}"`)

const globalsOf = (code: string) => [
  ...new Set(Array.from(code.matchAll(new RegExp(`${mark}(\\w+)`, "g")), ([, name]) => name))
]

describe("the entry", () => {
  it.live("of a portable client needs no module of Node", () =>
    Effect.map(whole(...portable), ({ code, imports }) => {
      expect(imports).toEqual([])
      expect(code).not.toBe("")
    })
  )

  it.live("of the service brings no transport: a program bundles only the one that it uses", () =>
    Effect.gen(function* () {
      const calls = /[^.\w]fetch\(|\.dispatch\(/
      expect((yield* ownOf("./fetch")).code).toMatch(calls)
      expect((yield* ownOf(".")).code).not.toMatch(calls)
    })
  )

  // A barrel import, such as `effect` without a module, loads the whole package.
  const peers: Readonly<Record<string, ReadonlyArray<string>>> = {
    "./node": ["node:http", "node:zlib", "undici"]
  }

  it.live.each(entries)("%s imports only single modules of its peers, and is portable", (entry) =>
    Effect.map(ownOf(entry), ({ code, imports }) => {
      if (entry !== "./node") expect(globalsOf(code)).toEqual([])
      const others = imports.filter((name) => !/^effect\/[\w/-]+$/.test(name))
      expect(others.toSorted()).toEqual(peers[entry] ?? [])
    })
  )

  it("./promise is another file if fetch is the only transport", () => {
    const target = Object(exports["./promise"])
    expect(Object.keys(target).at(-1)).toBe("default")
    for (const condition of portableConditions) {
      expect(target[condition], condition).toMatch(/Fetch/)
    }
    for (const condition of ["node", "deno"]) expect(target[condition]).toMatch(/Node/)
  })
})

it.live("these tests notice what only Node has, and nothing else", () =>
  Effect.gen(function* () {
    const { code } = yield* own(`
      export const text = Buffer.from('process')
      export const env = () => globalThis.process?.env
      export const fs = require('./' + 'fs')
      const module = {}; export const own = module // global
    `)
    expect(globalsOf(code)).toEqual(["Buffer", "process", "require"])
    const { imports } = yield* bundle("import 'fs/promises'; export const os = import('node:os')")
    expect(imports.toSorted()).toEqual(["fs/promises", "node:os"])
  })
)

describe("the public interface", () => {
  it("has exactly these values", async () => {
    const found: Record<string, ReadonlyArray<string>> = {}
    const journal = ["", "/open", "/postgres", "/promise", "/sqlite"]
    const names = [
      ...entries.map(specifier),
      ...journal.map((at) => `@messaging-topup/journal${at}`)
    ]
    for (const name of names) {
      const namespace: object = await import(name)
      found[name] = Object.keys(namespace).toSorted()
    }
    const lines = Object.entries(found).flatMap(([entry, exported]) => [
      entry,
      ...exported.map((name) => `  ${name}`),
      ""
    ])
    await expect(lines.join("\n")).toMatchFileSnapshot("PublicInterface.txt")
  })
})
