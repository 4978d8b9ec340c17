import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build as esbuild } from "esbuild"
import { join } from "node:path"
import { build as rolldown } from "rolldown"
import { expect } from "vitest"
import { contract } from "../harness/Contract.ts"
import { folderOfFile } from "../harness/TemporaryFolder.ts"
import { runNode } from "../harness/Process.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"

const root = join(import.meta.dirname, "../..")
const folder = folderOfFile()

const send = `
  const [, , baseUrl] = process.argv
  const request = { recipient: "+15550100123", message: "Hello" }
  const print = (value) => console.log(JSON.stringify(value))`

/** With Effect. `open` declares `opened`, which comes before the send. */
const withEffect = (open: string) => `
    import { MessagingTopup, NotFound } from "@messaging-topup/core"
    import { layer } from "@messaging-topup/core/node"
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    import * as Redacted from "effect/Redacted"
    ${open}
    ${send}
    const client = MessagingTopup.layer({ baseUrl, token: Redacted.make("token-of-the-test") })
    const yielded = Effect.gen(function* () {
      yield* new NotFound({ operation: "getSmsStatus" })
    })
    Effect.flip(yielded).pipe(
      Effect.andThen(opened),
      Effect.andThen(MessagingTopup),
      Effect.flatMap((service) => service.sendSms(request)),
      Effect.provide(Layer.provide(client, layer)),
      Effect.runPromise
    ).then(print)`

/** Programs that send one SMS, and print the response or the error. */
const programs = {
  "/promise": `import { createClient } from "@messaging-topup/core/promise"
    ${send}
    createClient({ baseUrl, token: "token-of-the-test" }).sendSms(request).then(print)`,
  "/node": withEffect("const opened = Effect.void"),
  "/open of the journal": withEffect(`import * as Journal from "@messaging-topup/journal/open"
    const opened = Effect.scoped(Layer.build(Journal.layer("memory")))`)
}

/** PostgreSQL's driver is not installed, as for those who need none. */
const alias = { "@effect/sql-pg": "not-installed" }

const withEsbuild = async (contents: string, format: "esm" | "cjs", banner = "") => {
  const outfile = join(folder, `${format}.${format === "esm" ? "mjs" : "cjs"}`)
  const stdin = { contents, resolveDir: root }
  const options = {
    bundle: true,
    platform: "node",
    logLevel: "silent",
    alias,
    outfile,
    format
  } as const
  await esbuild({ ...options, stdin, banner: { js: banner } })
  return outfile
}

const withRolldown = async (contents: string) => {
  const file = join(folder, "rolldown.mjs")
  const id = join(root, "program-of-the-test.js")
  await rolldown({
    input: id,
    cwd: root,
    platform: "node",
    output: { file, format: "esm", codeSplitting: false },
    logLevel: "silent",
    plugins: [
      {
        name: "program",
        load: (path) => (path === id ? contents : undefined),
        resolveId: (path) => (path === id ? id : undefined)
      }
    ]
  })
  return file
}

const requireBanner =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'

const sent = `${JSON.stringify(contract.sendSms.success)}\n`

const noRequire = expect.stringContaining("Dynamic require of")

/** Each with what the bundled program writes to stdout and to stderr. */
const bundlers: Readonly<Record<string, readonly [(program: string) => Promise<string>, object]>> =
  {
    "esbuild to CommonJS": [(program) => withEsbuild(program, "cjs"), { stdout: sent }],
    "esbuild to ESM": [(program) => withEsbuild(program, "esm"), { stdout: "", stderr: noRequire }],
    "esbuild to ESM, with a require": [
      (program) => withEsbuild(program, "esm", requireBanner),
      { stdout: sent }
    ],
    rolldown: [withRolldown, { stdout: sent }]
  }

it.live.each(
  Object.entries(programs).flatMap(([entry, program]) =>
    Object.entries(bundlers).map(([bundler, how]) => ({ entry, program, bundler, how }))
  )
)("a program that uses $entry, bundled by $bundler", ({ how: [bundle, written], program }) =>
  Effect.gen(function* () {
    const server = yield* responseServer
    server.respondWith(reply(202, contract.sendSms.success))
    const file = yield* Effect.promise(() => bundle(program))
    expect(yield* Effect.promise(() => runNode([file, server.baseUrl]))).toMatchObject(written)
  })
)
