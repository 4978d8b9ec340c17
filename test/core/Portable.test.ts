import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createRequire } from "node:module"
import { bundle } from "../support/Bundle.ts"

const require = createRequire(import.meta.url)

/** One file, one a runtime, or nothing: what is null is closed (`./internal/*`). */
const Target = Schema.Union([
  Schema.String,
  Schema.Record(Schema.String, Schema.String),
  Schema.Null
])

const Manifest = Schema.Struct({ exports: Schema.Record(Schema.String, Target) })

/** The conditions under which a runtime finds nothing of Node. */
const portableConditions = ["bun", "workerd", "edge-light", "browser", "default"]

const { exports } = Schema.decodeUnknownSync(Manifest)(
  require("@messaging-topup/core/package.json")
)

/** Each entry that holds code, with the file that a browser gets. */
const modules = Object.entries(exports).flatMap(
  ([entry, target]): ReadonlyArray<readonly [entry: string, file: string]> => {
    const file = target === null || typeof target === "string" ? target : target["browser"]
    return file?.endsWith(".ts") === true ? [[entry, file]] : []
  }
)

const specifier = (entry: string) => entry.replace(".", "@messaging-topup/core")

const entries = modules.map(([entry]) => entry)
const portable = entries.filter((entry) => entry !== "./node")

/** The entry with everything that it needs. */
const whole = (entry: string) => bundle(`export * from "${specifier(entry)}"`)

// A global that a program only mentions after looking for it is in order, and Effect does so. Ours
// mentions none.
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

/** Only our part of it, its globals marked. */
const own = (source: string) => bundle(source, { define: marks, ownCodeOnly: true })

const ownOf = (entry: string) =>
  own(`export * from "./packages/core/${new Map(modules).get(entry)}"`)

const globalsOf = (code: string) => [
  ...new Set(Array.from(code.matchAll(new RegExp(`${mark}(\\w+)`, "g")), ([, name]) => name))
]

describe("the entry", () => {
  it.live.each(portable)("%s needs no module of Node", (entry) =>
    Effect.map(whole(entry), ({ code, imports }) => {
      expect(imports).toEqual([])
      expect(code).not.toBe("")
    })
  )

  it.live.each(portable)("%s uses no global that only Node has", (entry) =>
    Effect.map(ownOf(entry), ({ code }) => expect(globalsOf(code)).toEqual([]))
  )

  // A barrel, as `effect` without a module, loads all of a package.
  const peers: Readonly<Record<string, ReadonlyArray<string>>> = {
    "./node": ["node:zlib", "undici"],
    "./phone": ["libphonenumber-js/min"]
  }

  it.live.each(entries)("%s imports single modules of its peers and nothing else", (entry) =>
    Effect.map(ownOf(entry), ({ imports }) => {
      const others = imports.filter((name) => !/^effect\/[\w/-]+$/.test(name))
      expect(others).toEqual(peers[entry] ?? [])
    })
  )

  it("./promise is another file where fetch is the only transport", () => {
    const target = Object(exports["./promise"])
    expect(Object.keys(target).at(-1)).toBe("default")
    for (const condition of portableConditions) {
      expect(target[condition], condition).toMatch(/Fetch/)
    }
    for (const condition of ["node", "deno"]) expect(target[condition]).toMatch(/Node/)
  })

  it.live("./node needs modules of Node: it is not portable", () =>
    Effect.map(whole("./node"), ({ imports }) => {
      expect(imports).toEqual(expect.arrayContaining(["node:net", "node:tls"]))
    })
  )
})

describe("an entry that is not portable is told by", () => {
  it.live.each<readonly [name: string, source: string]>([
    ["Buffer", "export const text = Buffer.from('a')"],
    ["process", "export const env = () => process.env.TOKEN"],
    ["process", "export const env = () => globalThis.process?.env"],
    ["require", "export const fs = require('./' + 'fs')"],
    ["__dirname", "export const here = typeof __dirname"]
  ])("the global %s in: %s", ([name, source]) =>
    Effect.map(own(source), ({ code }) => expect(globalsOf(code)).toEqual([name]))
  )

  it.live.each([
    "const process = { env: {} }; export const env = process.env",
    "export const names = ['process', 'Buffer'] // process, Buffer"
  ])("no global in: %s", (source) =>
    Effect.map(own(source), ({ code }) => expect(globalsOf(code)).toEqual([]))
  )

  it.live.each<readonly [name: string, source: string]>([
    ["node:fs", "import 'node:fs'"],
    ["fs/promises", "import 'fs/promises'"],
    ["node:os", "export const os = () => import('node:os')"]
  ])("the import of %s in: %s", ([name, source]) =>
    Effect.map(bundle(source), ({ imports }) => expect(imports).toEqual([name]))
  )
})

describe("the public interface", () => {
  it("has these values and no other", async () => {
    const found: Record<string, ReadonlyArray<string>> = {}
    for (const entry of entries) {
      const namespace: object = await import(specifier(entry))
      found[entry] = Object.keys(namespace).toSorted()
    }
    expect(found).toMatchInlineSnapshot(`
      {
        ".": [
          "AirtimeStatusRecord",
          "AuthenticationFailed",
          "ConfigurationError",
          "ConnectionFailed",
          "ConnectionLost",
          "DataBundle",
          "ErrorBody",
          "GetAirtimeStatusError",
          "GetAirtimeStatusResponse",
          "GetDataBundleStatusError",
          "GetDataBundleStatusResponse",
          "GetSmsStatusError",
          "GetSmsStatusResponse",
          "InsufficientPermissions",
          "InternalServerError",
          "InvalidInput",
          "InvalidRequest",
          "InvalidResponse",
          "ListDataBundlesError",
          "ListDataBundlesQuery",
          "ListDataBundlesResponse",
          "MessagingTopup",
          "NotFound",
          "OnRequestStart",
          "PaymentRequired",
          "RequestTimedOut",
          "SendResult",
          "SendSmsError",
          "SendSmsRequest",
          "SendSmsResponse",
          "SmsStatusRecord",
          "SmsText",
          "StillPending",
          "UndocumentedStatus",
          "awaitSmsStatus",
          "isLoopbackHost",
          "layerConfig",
          "sendOutcome",
        ],
        "./api": [
          "Api",
          "BearerAuth",
        ],
        "./fetch": [
          "layer",
        ],
        "./node": [
          "layer",
          "layerDispatcher",
          "layerOptions",
        ],
        "./openapi": [
          "document",
          "documentOf",
        ],
        "./phone": [
          "PhoneNumberNotNormalized",
          "toE164",
        ],
        "./promise": [
          "createClient",
          "isMessagingTopupError",
          "isSendSmsRejection",
        ],
      }
    `)
  })
})
