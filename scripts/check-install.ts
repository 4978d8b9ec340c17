/**
 * Installs the packed tarballs into an empty project made by `npm init`, and tries the three ways of the README:
 * both programs with the packed sandbox, and an MCP client with the packed MCP server. Then it installs what a
 * script without Effect needs, which is only core: this must be small, start fast, and compile, in CommonJS too.
 * It also checks the types of each example alone, runs the recipes for CI, and imports all entries into one program.
 */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import assert from "node:assert/strict"
import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, delimiter, dirname, join } from "node:path"
import { parse } from "yaml"
import { noPostgres, startPostgres } from "../test/harness/journal/PostgresServer.ts"
import { freePort } from "../test/harness/Listening.ts"
import {
  bounded,
  bytesIn,
  compile,
  tarball,
  installed,
  stdoutOf,
  tarballs,
  temporaryFolder,
  versionHere
} from "./support.ts"
import { importEntries } from "./entries.ts"

const project = temporaryFolder()
const { NODE_PATH: _workspaceModules, ...inherited } = process.env
const env = {
  ...inherited,
  PATH: [dirname(process.execPath), inherited["PATH"]].join(delimiter),
  // Programs use this user's journal, which would know their SMS from the last check.
  MESSAGING_TOPUP_JOURNAL: join(project, "journal.sqlite")
}
const inProject = { ...bounded, cwd: project, env }
const npm = (...args: ReadonlyArray<string>) => stdoutOf(spawnSync("npm", args, inProject))
const npx = (...args: ReadonlyArray<string>) =>
  stdoutOf(spawnSync("npx", ["--no-install", ...args], inProject))

// As the page on tests says, so that a runner for CI has them, too.
const files = Object.values(tarballs()).map((file) => {
  mkdirSync(join(project, "tarballs"), { recursive: true })
  copyFileSync(file, join(project, "tarballs", basename(file)))
  return `./tarballs/${basename(file)}`
})
const others = [
  "effect",
  "@effect/sql-pg",
  "@opentelemetry/instrumentation-undici",
  "@types/node"
].map((name) => `${name}@${versionHere(name)}`)
npm("init", "-y")
npm("install", "--no-audit", "--no-fund", ...files, ...others)
const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>
}
for (const file of files) {
  assert(Object.values(dependencies).includes(file.replace("./", "file:")), `${file} has no path`)
}
console.log(`installed ${files.length} packages, ${others.join(", ")}`)

/** The examples, by the file names that the documents use. */
const programs = { "send.mts": "examples/send.ts", "script.mts": "examples/script.ts" }
for (const [name, example] of Object.entries(programs)) {
  copyFileSync(join(bounded.cwd, example), join(project, name))
}
compile(project)
console.log(`${Object.keys(programs).join(" and ")} have no type error`)

/**
 * Each example alone, with the settings that the guide names. They write declarations, for which another example's
 * imports would give names to types that no entry of its own exports.
 */
const alone = join(project, "alone")
mkdirSync(alone)
const inAlone = { ...bounded, cwd: alone }
const settings = ["--init", "--noEmit", "--allowImportingTsExtensions", "--types", "node"]
stdoutOf(spawnSync("tsc", settings, inAlone))
const examples = globSync("examples/*.ts", { cwd: bounded.cwd })
const configs = examples.map((example) => {
  const name = basename(example).replace(".ts", ".mts")
  copyFileSync(join(bounded.cwd, example), join(alone, name))
  const outputs = {
    noEmit: false,
    emitDeclarationOnly: true,
    outDir: "written",
    tsBuildInfoFile: `written/${name}.tsbuildinfo`
  }
  const config = { extends: "./tsconfig.json", files: [name], compilerOptions: outputs }
  writeFileSync(join(alone, `${name}.json`), JSON.stringify(config))
  return `${name}.json`
})
stdoutOf(spawnSync("tsc", ["--build", ...configs], inAlone))
console.log(`${examples.length} examples, each alone, have no type error and can be declared`)

console.log(
  `${await importEntries(project)} entries can be imported in any order, and have the same error classes`
)

/** The guide whose shell blocks are run here. */
const guide = readFileSync(join(bounded.cwd, "docs/first-message.md"), "utf8")
const blockIn = (heading: string): string => {
  const [, block] =
    new RegExp(`^## ${heading}$[^#]*?^\`\`\`sh\\n([^]*?)^\`\`\``, "m").exec(guide) ?? []
  assert(block, `docs/first-message.md has no block in ${heading}`)
  return block
}

const [, command = "", ...options] = blockIn("Start the sandbox").trim().split(" ")
const sandbox = spawn(
  // Not npx, because npx does not pass signals on.
  join(project, "node_modules/.bin", command),
  [...options, "--port", "0", "--json"],
  { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] }
)
// However this program ends, the sandbox must end, too.
process.once("exit", () => sandbox.kill("SIGKILL"))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const inTime = () => ({ signal: AbortSignal.timeout(bounded.timeout) })
// One line, which the sandbox writes when it listens.
const [started]: Array<unknown> = await once(sandbox.stdout, "data", inTime())
const { base_url: baseUrl, token } = JSON.parse(String(started)) as Readonly<Record<string, string>>
console.log(`the sandbox listens on ${baseUrl}`)

const run = (program: string, args: ReadonlyArray<string>, tokenOfRun = token) =>
  spawnSync(program, args, {
    ...inProject,
    env: { ...env, MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: tokenOfRun }
  })

for (const name of Object.keys(programs)) {
  assert.match(stdoutOf(run(process.execPath, [name])), /^\w+: \[/)
  const { status, stderr } = run(process.execPath, [name], "another-token")
  assert.equal(status, 1)
  assert.match(stderr, /^not-sent /)
  console.log(`node ${process.version} ${name} sent an SMS, and reports a refused send`)
}

const failing = blockIn("When it fails").replaceAll("http://127.0.0.1:8080", String(baseUrl))
const failed = run("sh", ["-eu", "-c", failing])
assert.equal(failed.status, 3)
assert.match(failed.stderr, /^unknown /m)
console.log("after a lost response, send.mts reports that the outcome is unknown, and ends with 3")

sandbox.kill("SIGTERM")
const [code, signal]: Array<unknown> = await once(sandbox, "exit", inTime())
console.log(`the sandbox stopped: ${String(code ?? signal)}`)

/** The recipe of docs/languages.md for GitHub Actions: its steps, and the variables of its tests. */
const [, recipe = ""] =
  /^```yaml\n([^]*?)^```/m.exec(readFileSync(join(bounded.cwd, "docs/languages.md"), "utf8")) ?? []
const steps: ReadonlyArray<{
  run?: string
  shell?: string
  env?: Readonly<Record<string, string>>
}> = parse(recipe)
const sending = `curl --silent --fail --json '{"recipient":"+15550100123","message":"Hello"}' \
  -H "Authorization: Bearer $MESSAGING_TOPUP_TOKEN" "$MESSAGING_TOPUP_BASE_URL/sms/send"`

const repository = temporaryFolder()
const packed = tarballs()["messaging-topup"] ?? ""
copyFileSync(packed, join(repository, basename(packed)))
const port = String(await Effect.runPromise(freePort))
const exported = steps.flatMap(({ env: variables = {} }) =>
  Object.entries(variables).map(([key, value]) => `export ${key}=${value}`)
)
const script = steps
  .flatMap(({ run: lines }) => lines ?? [])
  .map((lines) => lines.replace("your tests", sending))
// That of a job in a container is sh.
const shell = steps.find(({ run: lines }) => lines)?.shell ?? "sh"
// Another job on this machine has the port: its sandbox would get the SMS.
const again = `! ${shell} -ec '${script[0]}'`
const all = [...exported, "trap 'kill $!' EXIT", ...script, again]
  .join("\n")
  .replaceAll("8080", port)
const printed = stdoutOf(spawnSync(shell, ["-ec", all], { ...inProject, cwd: repository }))
assert.match(printed, /sbx-1-/, "the recipe for CI")
console.log("the recipe for CI starts a sandbox and sends to it, and fails if the port is in use")

const version = npx("messaging-topup-mcp", "--version").trim()
assert.equal(version, versionHere("@messaging-topup/mcp-server"))

const client = new Client({ name: "check-install", version: "1.0.0" })
const args = ["--no-install", "messaging-topup-mcp", "--sandbox"]
const server = {
  command: "npx",
  args,
  cwd: project,
  env: { PATH: env.PATH, MESSAGING_TOPUP_JOURNAL: env.MESSAGING_TOPUP_JOURNAL }
}
await client.connect(new StdioClientTransport(server))
const { tools } = await client.listTools()
const sent = await client.callTool({
  name: "send_sms",
  arguments: { recipient: "+254700000001", message: "Your code is 4711" }
})
await client.close()
assert(sent.isError !== true, JSON.stringify(sent.content))
console.log(`messaging-topup-mcp ${version} has ${tools.length} tools, and send_sms works`)

writeFileSync(join(project, "rows.csv"), "recipient,message\n+15551230017,Hello\n")
const ended = npx("messaging-topup", "run", "rows.csv", "--sandbox", "--yes")
assert.match(ended, /"sent":1/)
console.log("messaging-topup sent a row of a file")

const withCore = installed(tarball("@messaging-topup/core"))
assert(!existsSync(join(withCore, "node_modules/effect")), "Effect was installed")
const megabytes = (bytesIn(join(withCore, "node_modules")) / 1e6).toFixed(1)
const readme = readFileSync(join(bounded.cwd, "packages/core/README.md"), "utf8")
assert(readme.includes(`installs ${megabytes} MB`), `the README of core, on ${megabytes} MB`)
copyFileSync(join(bounded.cwd, "examples/script.ts"), join(withCore, "script.ts"))
compile(withCore)
console.log(`a script without Effect: ${megabytes} MB, no type error`)

const required = `import { createClient, isSendSmsRejection, type SendOutcome } from "@messaging-topup/core/promise"
const { close, sendSms } = createClient({ baseUrl: "http://127.0.0.1:1", token: "t" })
sendSms({ recipient: "+15550100123", message: "Hello" })
  .catch((error: unknown): SendOutcome | undefined =>
    isSendSmsRejection(error) ? error.sendOutcome : undefined
  )
  .then((outcome) => console.log(outcome))
  .then(close)
`
writeFileSync(join(withCore, "require.cts"), required)
// The declarations name what they need beyond this.
const node20 = ["--module", "node20", "--lib", "es2022,dom", "--types", ""]
const inCore = { ...bounded, cwd: withCore }
const toCommonJs = ["--ignoreConfig", "--strict", "--target", "es2024", ...node20, "require.cts"]
stdoutOf(spawnSync("tsc", toCommonJs, inCore))
for (const refused of ["--module node18", "--verbatimModuleSyntax"]) {
  const { status } = spawnSync("tsc", [...toCommonJs, ...refused.split(" ")], inCore)
  assert.notEqual(status, 0, refused)
}
const outcome = stdoutOf(spawnSync(process.execPath, ["require.cjs"], inCore)).trim()
assert.equal(outcome, "not-sent")
console.log("a script in CommonJS: no type error under node20, and require() works")

/** The four functions on a journal, and errors of both packages. It needs no Effect and no @types/node. */
const sends = `import { ConnectionFailed } from "@messaging-topup/core/promise"
import { isFinal, KeyConflict, openJournal } from "@messaging-topup/journal/promise"
declare const process: { readonly argv: ReadonlyArray<string> }
const [, , baseUrl = "", token = "", journal = ""] = process.argv
const request = { recipient: "+15550100123", message: "Hello" }
const nowhere = openJournal({ journal, baseUrl: "http://127.0.0.1:1", token })
const unsent = await nowhere.sendOnce("k", request).catch((error: unknown) => error)
await nowhere.close()
const { close, prune, resolve, sendMany, sendOnce } = openJournal({ journal, baseUrl, token })
const { isEarlier } = await sendOnce("k", request)
const refused = await sendOnce("k", { ...request, message: "?" }).catch((error: unknown) => error)
const { rows } = await sendMany([{ key: "a", request }], { campaign: "list" })
console.log(
  unsent instanceof ConnectionFailed && unsent.sendOutcome,
  refused instanceof KeyConflict && isFinal(refused) && refused.sendOutcome,
  isEarlier,
  rows.sent,
  (await resolve({ campaign: "list", keys: ["a"] }, "resend")).meanwhile,
  await prune({ campaign: "list" })
)
await close()
`
const withJournal = installed({
  ...tarball("@messaging-topup/core"),
  ...tarball("@messaging-topup/journal")
})
assert(!existsSync(join(withJournal, "node_modules/effect")), "Effect was installed")
writeFileSync(join(withJournal, "sends.mts"), sends)
const inJournal = { ...bounded, cwd: withJournal }
stdoutOf(spawnSync("tsc", ["--ignoreConfig", "--strict", ...node20, "sends.mts"], inJournal))

const service = await startSandbox()
const sendOn = (journal: string) => {
  const given = ["sends.mjs", service.baseUrl, service.token, journal]
  return new Promise<string>((resolve, reject) => {
    execFile(process.execPath, given, inJournal, (error, stdout) =>
      error === null ? resolve(stdout.trim()) : reject(error)
    )
  })
}
assert.equal(await sendOn("journal.sqlite"), "not-sent not-sent false 1 1 1")
console.log("a script without Effect sends with a journal in SQLite, no type error")
if (noPostgres === undefined) {
  const postgres = await startPostgres()
  const url = `postgres://journal@127.0.0.1:${postgres.port}/postgres`
  assert.equal(await sendOn(url), "not-sent not-sent false 1 1 1")
  await postgres.stop()
}
console.log(`… and in PostgreSQL: ${noPostgres ?? "yes"}`)
await service.close()
