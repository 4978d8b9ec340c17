/**
 * Runs the hosts that install from the npm registry, with the packed MCP server, and without a person: each with the
 * configuration of `docs/hosts.md`, a model on loopback that plays fixed tool calls, and a sandbox. Then it compares
 * what the model read and what was sent with what the documents say. With names, such as `codex "gemini cli"`, it runs
 * only these.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { withoutPerson } from "./hosts/DocumentedConfig.ts"
import { type Host, hosts } from "./hosts/Hosts.ts"
import { path } from "./hosts/HostProcess.ts"
import { type HostSetup, setUp } from "./hosts/HostSetup.ts"
import { startModel, type ToolCall } from "./hosts/ScriptedModel.ts"
import { bounded, packPackages, readManifest, stdoutOf, temporaryFolder } from "./support.ts"

const known = "+15550100123"
/** The sandbox accepts an SMS to this number, and its response is lost. */
const lost = "+15550100900"

const preview: ToolCall = { tool: "preview_sms", arguments: { message: "Table ready" } }
const send = (recipient: string): ToolCall => ({
  tool: "send_sms",
  arguments: { recipient, message: "Table ready" }
})

const columns = [
  "connects",
  "preview_sms",
  "one send",
  "lost response, repeated",
  "repeated after a restart",
  "not permitted",
  "auto",
  "require",
  "does not start"
] as const

/** What differs, by check. */
type Checks = Readonly<Partial<Record<(typeof columns)[number], ReadonlyArray<string>>>>

const resultIs = (expected: RegExp, results: ReadonlyArray<string>, index = 0) => {
  const result = results[index] ?? "nothing"
  return expected.test(result) ? [] : [`the model read ${result}, not ${String(expected)}`]
}

/** Matches a result with this code or outcome. */
const reads = (word: string) => new RegExp(`\\b(?:code|outcome): ?${word}\\b`)

const postsAre = (expected: ReadonlyArray<string>, posts: ReadonlyArray<string>) =>
  posts.join() === expected.join() ? [] : [`the service was asked to send to [${posts.join()}]`]

const checksOf = async (host: Host, { converse, fail }: HostSetup): Promise<Checks> => {
  const notPrinted: Array<string> = []
  for (const { prints, ...start } of host.failing) {
    const printed = await fail(start)
    if (!prints.test(printed)) notPrinted.push(`it printed ${printed}, not ${String(prints)}`)
  }

  const script = { args: withoutPerson, permitted: true }
  const first = await converse({ ...script, calls: [preview, send(known), send(lost), send(lost)] })
  const restarted = await converse({ ...script, calls: [send(lost)] })

  const recipient = "+15550100124"
  const calls = [send(recipient)]
  const unpermitted = await converse({ calls, permitted: false })
  const required = await converse({ calls, permitted: true, args: ["--confirm", "require"] })
  // Last, because the same SMS is not sent again.
  const auto = await converse({ calls, permitted: true })

  const notResent = reads("unknown_not_resent")
  return {
    connects: first.offered ? [] : [`the model was offered no tool of the server: ${first.output}`],
    preview_sms: resultIs(/takes 1 segment\b/, first.results),
    "one send": [
      ...resultIs(reads("sent"), first.results, 1),
      ...postsAre([known], first.posts.slice(0, 1))
    ],
    "lost response, repeated": [
      ...resultIs(reads("send_unknown"), first.results, 2),
      ...resultIs(notResent, first.results, 3),
      ...postsAre([known, lost], first.posts)
    ],
    "repeated after a restart": [
      ...resultIs(notResent, restarted.results),
      ...postsAre([], restarted.posts)
    ],
    "not permitted": [
      ...(unpermitted.offered === host.offersUnpermitted
        ? []
        : [`the model was ${unpermitted.offered ? "" : "not "}offered the tools`]),
      ...postsAre([], unpermitted.posts)
    ],
    auto: [
      ...resultIs(reads(host.auto), auto.results),
      ...postsAre(host.auto === "sent" ? [recipient] : [], auto.posts)
    ],
    require: [...resultIs(reads(host.require), required.results), ...postsAre([], required.posts)],
    ...(host.failing.length > 0 && { "does not start": notPrinted })
  }
}

const folder = temporaryFolder()

const npmInstall = (into: string, what: string) => {
  mkdirSync(into, { recursive: true })
  const args = ["install", "--no-audit", "--no-fund", "--prefix", into, what]
  return spawnSync("npm", args, { ...bounded, cwd: into, env: { ...process.env, PATH: path } })
}

const server = packPackages().find(({ name }) => name === "@messaging-topup/mcp-server")
if (server === undefined) throw new Error("The server was not packed")
const model = await startModel()

const check = async (host: Host): Promise<string> => {
  const title = host.mode === undefined ? host.name : `${host.name}, ${host.mode}`
  const installed = join(folder, host.bin)
  const { error, status, stderr } = npmInstall(installed, `${host.package}@latest`)
  if (status !== 0) {
    const line = stderr.split("\n").find((each) => each.startsWith("npm error"))
    return `| ${title} | – | cannot be installed here: ${line ?? error?.message} |`
  }
  const own = join(folder, title)
  const folders = { installed, home: join(own, "home"), project: join(own, "project") }
  mkdirSync(folders.home, { recursive: true })
  // npx finds the server here, without the registry.
  stdoutOf(npmInstall(folders.project, server.filename))
  await using setup = await setUp(host, model, folders)
  const checks = await checksOf(host, setup)
  for (const [name, problems] of Object.entries(checks)) {
    for (const problem of problems) console.error(`${title}, ${name}: ${problem.slice(0, 2000)}\n`)
    if (problems.length > 0) process.exitCode = 1
  }
  const { version } = readManifest(join(installed, "node_modules", host.package, "package.json"))
  const cells = columns.map((name) => {
    const problems = checks[name]
    if (problems === undefined) return "–"
    return problems.length === 0 ? "ok" : "differs"
  })
  return `| ${title} | ${version} | ${cells.join(" | ")} |`
}

console.log(`| Host | Version | ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length + 2)}`)
const names = process.argv.slice(2).map((name) => name.toLowerCase())
for (const host of hosts) {
  if (names.length > 0 && !names.includes(host.name.toLowerCase())) continue
  console.log(await check(host))
}
model.close()
