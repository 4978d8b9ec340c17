/**
 * Installs the packed tarballs into an empty project made by `npm init`, and tries the three ways of the README:
 * both programs with the packed sandbox, and an MCP client with the packed MCP server.
 */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { bounded, packPackages, stdoutOf, temporaryFolder, versionHere } from "./support.ts"

const project = temporaryFolder()
const { NODE_PATH: _workspaceModules, ...inherited } = process.env
const env = { ...inherited, PATH: [dirname(process.execPath), inherited["PATH"]].join(delimiter) }
const inProject = { ...bounded, cwd: project, env }

const tarballs = packPackages(project)
const others = ["effect", "@types/node"].map((name) => `${name}@${versionHere(name)}`)
stdoutOf(spawnSync("npm", ["init", "-y"], inProject))
stdoutOf(
  spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", ...tarballs.map(({ filename }) => filename), ...others],
    inProject
  )
)
console.log(`installed ${[...tarballs.map(({ name }) => name), ...others].join(", ")}`)

/** The examples, by the file names that the documents use. */
const programs = { "send.mts": "examples/readme.ts", "script.mts": "examples/script.ts" }
for (const [name, example] of Object.entries(programs)) {
  copyFileSync(join(bounded.cwd, example), join(project, name))
}
const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "es2024",
  module: "nodenext",
  lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
  types: ["node"]
}
writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }))
stdoutOf(spawnSync("tsc", ["--project", project], bounded))
console.log(`${Object.keys(programs).join(" and ")} have no type error`)

/** The guide whose shell blocks are run here. */
const guide = readFileSync(join(bounded.cwd, "docs/first-message.md"), "utf8")
const blockIn = (heading: string): string => {
  const [, block] =
    new RegExp(`^## ${heading}$[^#]*?^\`\`\`sh\\n([^]*?)^\`\`\``, "m").exec(guide) ?? []
  if (block === undefined) throw new Error(`docs/first-message.md has no block in ${heading}`)
  return block
}

const [, command = "", ...options] = blockIn("Start the sandbox").trim().split(" ")
const sandbox = spawn(
  // Not npx, because npx does not pass signals on.
  join(project, "node_modules/.bin", command),
  [...options, "--port", "0", "--json"],
  { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] }
)
const exited = once(sandbox, "exit")
// However this program ends, the sandbox must end, too.
process.once("exit", () => sandbox.kill("SIGKILL"))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const lines = createInterface({ input: sandbox.stdout })
const [firstLine]: Array<unknown> = await Promise.race([
  once(lines, "line", { signal: AbortSignal.timeout(30_000) }),
  exited.then(([code, signal]) => {
    throw new Error(`The sandbox ended before it printed its address: ${code ?? signal}`)
  })
])
const address = JSON.parse(String(firstLine)) as {
  readonly baseUrl: string
  readonly token: string
}
console.log(`the sandbox listens on ${address.baseUrl}`)

const runProgram = (name: string, token: string) =>
  spawnSync(process.execPath, [name], {
    ...inProject,
    env: { ...env, MESSAGING_TOPUP_BASE_URL: address.baseUrl, MESSAGING_TOPUP_TOKEN: token },
    timeout: 60_000
  })

for (const name of Object.keys(programs)) {
  const output = stdoutOf(runProgram(name, address.token))
  if (!output.startsWith("accepted: [")) throw new Error(`${name} printed ${output}`)
  console.log(`node ${process.version} ${name} sent an SMS`)

  const { status, stderr } = runProgram(name, "another-token")
  if (status !== 1 || !stderr.startsWith("not-sent ")) {
    throw new Error(`After a refused send, ${name} ended with ${status} and printed ${stderr}`)
  }
  console.log(`${name} reports that a refused send did not go out, and fails`)
}

const failing = blockIn("When it fails").replaceAll("http://127.0.0.1:8080", address.baseUrl)
const failed = spawnSync("sh", ["-eu", "-c", failing], {
  ...inProject,
  env: { ...env, MESSAGING_TOPUP_BASE_URL: address.baseUrl, MESSAGING_TOPUP_TOKEN: address.token }
})
if (failed.status !== 1 || !failed.stderr.includes("unknown ")) {
  throw new Error(`The block for a lost response ended with ${failed.status}: ${failed.stderr}`)
}
console.log("after a lost response, send.mts reports that the outcome is unknown")

sandbox.kill("SIGTERM")
const [code, signal] = await Promise.race([
  exited,
  once(sandbox, "never", { signal: AbortSignal.timeout(10_000) })
])
console.log(`the sandbox stopped: ${code ?? signal}`)

const serverArgs = ["--no-install", "messaging-topup-mcp"]
const version = stdoutOf(spawnSync("npx", [...serverArgs, "--version"], inProject)).trim()
if (version !== versionHere("@messaging-topup/mcp-server")) {
  throw new Error(`messaging-topup-mcp --version printed ${version}`)
}

const client = new Client({ name: "check-install", version: "1.0.0" })
await client.connect(
  new StdioClientTransport({
    command: "npx",
    args: [...serverArgs, "--sandbox"],
    cwd: project,
    env: { PATH: env.PATH }
  })
)
const { tools } = await client.listTools()
const sent = await client.callTool({
  name: "send_sms",
  arguments: { recipient: "+254700000001", message: "Your code is 4711" }
})
await client.close()
if (sent.isError === true) throw new Error(`send_sms failed: ${JSON.stringify(sent.content)}`)
console.log(`messaging-topup-mcp ${version} has ${tools.length} tools, and send_sms works`)

writeFileSync(join(project, "rows.csv"), "recipient,message\n+15551230017,Hello\n")
const campaign = [
  "--no-install",
  "messaging-topup-campaign",
  "run",
  "rows.csv",
  "--sandbox",
  "--yes"
]
const ended = stdoutOf(spawnSync("npx", campaign, inProject))
if (!ended.includes('"accepted":1')) throw new Error(`messaging-topup-campaign printed ${ended}`)
console.log("messaging-topup-campaign sent a row of a file")
