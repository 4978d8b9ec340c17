import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { pretending } from "../harness/OldNode.ts"

const promise = (options: string) => `
  import { createClient } from "@messaging-topup/core/promise"
  import { Agent } from "undici"
  createClient({ baseUrl: "http://127.0.0.1:9", token: "secret", ${options} })`

const node = (layer: string) => `
  import * as NodeTransport from "@messaging-topup/core/node"
  import * as Effect from "effect/Effect"
  import * as Layer from "effect/Layer"
  import { Agent } from "undici"
  await Effect.runPromise(Effect.scoped(Layer.build(NodeTransport.${layer})))`

const programs = {
  "/promise": promise(""),
  "/promise on a dispatcher": promise("dispatcher: new Agent()"),
  "/node": node("layer"),
  "/node on a dispatcher": node("layerDispatcher(new Agent())")
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
