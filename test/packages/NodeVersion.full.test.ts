import { spawnSync } from "node:child_process"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { oldNode, pretending } from "../harness/OldNode.ts"
import { serverFile } from "../harness/ServerFile.ts"
import { folderOfFile } from "../harness/TemporaryFolder.ts"

const folder = folderOfFile()

const packageOf = (name: string) =>
  fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url))

/** The version of Node that the manifest requires. */
const neededBy = (name: string): string => {
  const manifest: { readonly engines: { readonly node: string } } = JSON.parse(
    readFileSync(join(packageOf(name), "package.json"), "utf8")
  )
  return manifest.engines.node.replace(">=", "")
}

// The entry has no types, so the source is what is published. What it loads is not copied here.
const entryOf = (name: string): string => {
  const file = join(folder, `${name}.mjs`)
  copyFileSync(join(packageOf(name), "src/main.ts"), file)
  return file
}

const commands = [
  { name: "messaging-topup-mcp", file: serverFile, needed: neededBy("mcp-server") },
  { name: "messaging-topup-sandbox", file: entryOf("sandbox"), needed: neededBy("sandbox") },
  { name: "messaging-topup-campaign", file: entryOf("campaign"), needed: neededBy("campaign") }
]

const run = (node: string, args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(node, args, { encoding: "utf8", input: "" })
  return { status, stdout, stderr }
}

const refused = (name: string, needed: string, version: string) => ({
  status: 2,
  stdout: "",
  stderr: `${name} needs Node ${needed} or newer, and this is ${version}.\n`
})

describe.each(commands)("$name", ({ file, name, needed }) => {
  it("says on an old Node which version it needs, and does nothing else", (context) => {
    const node = oldNode()
    if (node === undefined) return context.skip("no Node before 22.19 is on the PATH")
    const version = run(node, ["--version"]).stdout.trim()
    for (const args of [[], ["--help"], ["--no-such-option"]]) {
      expect(run(node, [file, ...args])).toEqual(refused(name, needed, version))
    }
  })

  it.each(["14.21.3", "20.20.2", "22.18.9", "9.0.0"])("does the same on %s", (version) => {
    const node = [...pretending(version), file]
    expect(run(process.execPath, node)).toEqual(refused(name, needed, `v${version}`))
  })

  it.each(["22.19.0", "23.0.0", "100.1.0"])("starts on %s", (version) => {
    const { stderr } = run(process.execPath, [...pretending(version), file, "--version"])
    expect(stderr).not.toContain("needs Node")
  })
})

describe("the scripts of the workspace", () => {
  const file = fileURLToPath(new URL("../../scripts/check-node.mjs", import.meta.url))

  it.each(["14.21.3", "20.20.2", "22.18.9"])("say on %s which Node they need", (version) => {
    expect(run(process.execPath, [...pretending(version), file])).toEqual({
      status: 1,
      stdout: "",
      stderr: `This needs Node ${neededBy("core")} or newer, and this is v${version}.\n`
    })
  })

  it.each(["22.19.0", "24.21.0"])("start on %s", (version) => {
    expect(run(process.execPath, [...pretending(version), file]).status).toBe(0)
  })
})
