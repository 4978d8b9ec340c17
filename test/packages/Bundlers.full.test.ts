import { build as esbuild } from "esbuild"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { build as rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { contract } from "../harness/Contract.ts"

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "bundlers-"))

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(202, { "content-type": "application/json" })
    response.end(JSON.stringify(contract.sendSms.success))
  })
})

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const send = `
  const [, , baseUrl] = process.argv
  const request = { recipient: "+15550100123", message: "Hello" }
  const print = (value) => console.log(JSON.stringify(value))`

/** Programs that send one SMS, and print the response or the error. */
const programs = {
  "/promise": `import { createClient } from "@messaging-topup/core/promise"
    ${send}
    createClient({ baseUrl, token: "token-of-the-test" }).sendSms(request).then(print)`,
  "/node": `import { MessagingTopup } from "@messaging-topup/core"
    import { layer } from "@messaging-topup/core/node"
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    import * as Redacted from "effect/Redacted"
    ${send}
    const client = MessagingTopup.layer({ baseUrl, token: Redacted.make("token-of-the-test") })
    MessagingTopup.pipe(
      Effect.flatMap((service) => service.sendSms(request)),
      Effect.provide(Layer.provide(client, layer)),
      Effect.runPromise
    ).then(print)`
}

const withEsbuild = async (contents: string, format: "esm" | "cjs", banner = "") => {
  const outfile = join(folder, `${format}.${format === "esm" ? "mjs" : "cjs"}`)
  const stdin = { contents, resolveDir: root }
  const options = { bundle: true, platform: "node", logLevel: "silent", outfile, format } as const
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

/** Bundles a program, and returns its file. */
const bundlers: Readonly<Record<string, (program: string) => Promise<string>>> = {
  "esbuild to CommonJS": (program) => withEsbuild(program, "cjs"),
  "esbuild to ESM, with a require": (program) => withEsbuild(program, "esm", requireBanner),
  rolldown: withRolldown
}

const run = async (file: string): Promise<unknown> => {
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  const { stdout } = await promisify(execFile)(process.execPath, [file, `http://127.0.0.1:${port}`])
  return JSON.parse(stdout)
}

describe.each(Object.entries(programs))("a program that uses %s", (_, program) => {
  it.each(Object.entries(bundlers))("sends when %s bundled it", async (_name, bundle) => {
    expect(await run(await bundle(program))).toEqual(contract.sendSms.success)
  })

  it("does not start without a require, which esbuild's ESM does not have", async () => {
    await expect(run(await withEsbuild(program, "esm"))).rejects.toThrow("Dynamic require of")
  })
})
