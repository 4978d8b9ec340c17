import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { run, runNode } from "../harness/Process.ts"
import { commandFile, serverFile } from "../harness/Bundled.ts"

const isOld = (file: string): boolean => {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" })
  const [major = 0, minor = 0] = (stdout ?? "").replace("v", "").split(".").map(Number)
  return major > 0 && (major < 22 || (major === 22 && minor < 19))
}

/** An old Node of this machine, or `undefined` if there is none. */
const oldNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((path) => join(path, "node"))
  .find(isOld)

/** Returns the arguments that make this Node report another version. */
const pretending = (version: string): ReadonlyArray<string> => {
  const program = `
    Object.defineProperty(process, "version", { value: "v${version}" })
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })
  `
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`]
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The version of Node that the manifest requires. */
const neededBy = (name: string): string => {
  const manifest: { readonly engines: { readonly node: string } } = JSON.parse(
    readFileSync(join(root, "packages", name, "package.json"), "utf8")
  )
  return manifest.engines.node.replace(">=", "")
}

const refusal = (program: string, name: string) => (version: string) => ({
  code: 2,
  stdout: "",
  stderr: `${program} needs Node ${neededBy(name)} or newer, and this is ${version}.\n`
})

const programs = [
  {
    name: "the MCP server",
    file: serverFile,
    refused: refusal("messaging-topup-mcp", "mcp-server")
  },
  {
    name: "the command",
    file: commandFile,
    refused: refusal("messaging-topup", "cli")
  },
  {
    name: "a script of the workspace",
    file: join(root, "scripts/check-node.mjs"),
    refused: (version: string) => ({
      code: 1,
      stdout: "",
      stderr: `This needs Node ${neededBy("core")} or newer, and this is ${version}.\n`
    })
  }
]

describe.each(programs)("$name", ({ file, refused }) => {
  it("says on an old Node which version it needs, and does nothing else", async (context) => {
    if (oldNode === undefined) return context.skip("no Node before 22.19 is on the PATH")
    const version = (await run(oldNode, ["--version"])).stdout.trim()
    for (const args of [[], ["--help"], ["--no-such-option"]]) {
      expect(await run(oldNode, [file, ...args])).toMatchObject(refused(version))
    }
  })

  it.each(["14.21.3", "20.20.2", "22.18.9", "9.0.0"])("does the same on %s", async (version) => {
    expect(await runNode([...pretending(version), file])).toMatchObject(refused(`v${version}`))
  })

  it.each(["22.19.0", "23.0.0", "100.1.0"])("starts on %s", async (version) => {
    const { stderr } = await runNode([...pretending(version), file, "--version"])
    expect(stderr).not.toContain("needs Node")
  })
})

/** The entries for Node. What else a package has runs everywhere, or is loaded by one of them. */
const entries = [
  ...["node", "promise"].map((entry) => `core/${entry}`),
  ...["", "/open", "/postgres", "/promise", "/sqlite"].map((entry) => `journal${entry}`),
  ...["", "/promise"].map((entry) => `sandbox${entry}`)
]

describe.each(entries)("@messaging-topup/%s", (entry) => {
  const importing = (version: string) =>
    runNode([...pretending(version), "--input-type=module", "--eval", program], { cwd: root })
  const program = `import "@messaging-topup/${entry}"`

  it("says on an old Node which version it needs", async () => {
    const [name = ""] = entry.split("/")
    const { code, stderr } = await importing("20.20.2")
    expect(code).toBe(1)
    expect(stderr).toContain(
      `Error: messaging-topup needs Node ${neededBy(name)} or newer, and this is v20.20.2\n`
    )
  })

  it("is loaded on the oldest one that it needs", async () => {
    expect(await importing("22.19.0")).toMatchObject({ code: 0, stderr: "" })
  })
})

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

const clients = {
  "/promise": promise(""),
  "/promise on a dispatcher": promise("dispatcher: new Agent()"),
  "/node": node("layer"),
  "/node on a dispatcher": node("layerDispatcher(new Agent())")
}

const bun = ["--import", 'data:text/javascript,globalThis.Bun = { version: "1.4.5" }']
const denied = "{ permissions: { querySync: () => ({ state: 'prompt' }) } }"
const deno = ["--import", `data:text/javascript,globalThis.Deno = ${denied}`]

/** In place of the undici that is installed, as a bundle may find another one beside it. */
const undici6 = [
  "--import",
  `data:text/javascript,import { registerHooks } from "node:module";
  registerHooks({ resolve: (name, context, next) => next(name === "undici" ? "undici-6" : name, context) })`
]

const accepted = { code: 0, stderr: "" }
const refusedWith = (advice: string) => ({ code: 1, stderr: expect.stringContaining(advice) })

describe.each(Object.entries(clients))("%s on undici", (_, program) => {
  it.each([
    [
      "refuses Bun, whose undici sends nothing",
      bun,
      refusedWith("the layer of @messaging-topup/core/fetch")
    ],
    ["refuses undici 6", undici6, refusedWith("install undici 7 or newer")],
    ["accepts Deno, also without the permission to read the environment", deno, accepted]
  ] as const)("%s before anything is sent", async (_what, flags, expected) => {
    const args = [...flags, "--input-type=module", "--eval", program]
    expect(await runNode(args, { cwd: root })).toMatchObject(expected)
  })
})
