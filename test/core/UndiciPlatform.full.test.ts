import { build } from "esbuild"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { bundlePromiseClient } from "../../packages/core/bundle/PromiseClient.ts"
import { oldNode, pretending } from "../support/OldNode.ts"

const root = join(import.meta.dirname, "../..")

const programs = {
  "@messaging-topup/core/promise": `
    import { createClient } from "@messaging-topup/core/promise"
    createClient({ baseUrl: "http://127.0.0.1:9", token: "secret" })`,
  "@messaging-topup/core/node": `
    import { layer } from "@messaging-topup/core/node"
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    await Effect.runPromise(Effect.scoped(Layer.build(layer)))`
}

const run = (program: string, flags: ReadonlyArray<string>) => {
  const args = [...flags, "--input-type=module", "--eval", program]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  return { status, stderr }
}

const bun = ["--import", 'data:text/javascript,globalThis.Bun = { version: "1.4.5" }']
const deno = ["--import", "data:text/javascript,globalThis.Deno = {}"]

describe.each(Object.entries(programs))("%s", (_, program) => {
  it.each([
    ["a Node that is too old", pretending("22.18.9"), "needs Node 22.19 or newer"],
    ["Bun, whose undici sends nothing", bun, "use the layer of @messaging-topup/core/fetch"]
  ] as const)("refuses %s before anything is sent", (_where, flags, advice) => {
    const { status, stderr } = run(program, flags)
    expect(status).toBe(1)
    expect(stderr).toContain(advice)
  })

  it.each([
    ["the oldest Node that it supports", pretending("22.19.0")],
    ["Deno, with any reported version of Node", [...pretending("20.11.1"), ...deno]]
  ] as const)("accepts %s", (_where, flags) => {
    expect(run(program, flags)).toEqual({ status: 0, stderr: "" })
  })
})

it("/promise says which Node it needs, where undici cannot be imported", async (context) => {
  const node = oldNode()
  if (node === undefined) return context.skip("no Node before 22.19 is on the PATH")
  // The file is linked before it runs, so undici must be there.
  const folder = mkdtempSync(join(root, "node_modules/old-node-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await bundlePromiseClient(folder)
  const entryPoints = [join(root, "packages/core/src/promise/NodeVersion.ts")]
  await build({ entryPoints, outdir: folder })
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  const { stderr } = spawnSync(node, [join(folder, "Node.js")], { encoding: "utf8" })
  expect(stderr).toMatch(/core needs Node 22\.19 or newer, and this is Node \d+/)
})
