/**
 * The examples as a user runs them: `Examples.txt`. Vitest's `--update` writes it anew. Its steps:
 *
 *     == a title                            a new sandbox and a new user; each step has a folder of its own
 *     $ fault {…}                           sets a fault of the sandbox
 *     $ script.cjs +15550000402             the program, with the address and the token of the sandbox
 *
 * Below each step is what the program wrote (stderr with `!`). LAST is the id of the newest SMS.
 */
import { expect, it } from "@effect/vitest"
import { type Journal, openJournal } from "@messaging-topup/journal/promise"
import { forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { TestConsole } from "effect/testing"
import { send } from "../../examples/one-error.ts"
import { folder } from "../harness/TemporaryFolder.ts"
import { programFile } from "../harness/Bundled.ts"
import { service } from "../harness/journal/Service.ts"
import { run as runProgram, runNode, startScoped } from "../harness/Process.ts"
import { responseServer } from "../harness/ResponseServer.ts"
import { sandboxSettings } from "../harness/sandbox/Client.ts"
import { transcriptOf } from "../harness/Transcript.ts"

/** What differs between two runs. */
const withoutChance = (text: string, home: string): string =>
  text
    .replaceAll(home, "HOME")
    .replaceAll(
      /^\[[\d:.]+\] (?=INFO)|\(#\d+\)|^\(node:\d+\) |^\(Use `node --trace-warnings .*\n/gm,
      ""
    )
    // How many outcomes the journal takes at once depends on the machine.
    .replaceAll(/^\{ _tag: 'Settled'.*\n/gm, "")
    .replaceAll(/sbx-\d+-[a-z]{8}/g, "sbx-ID")
    // Node 22 closes a connection that is reset during a write.
    .replaceAll(/ECONNRESET|UND_ERR_SOCKET/g, "RESET")

const sandboxed = Effect.provide(Sandbox.layer())

type Environment = Readonly<Record<string, string>>

/** The file of an example, or its bundle, which starts in a third of the time. */
const fileOf = (name: string) =>
  name.endsWith(".ts") ? programFile(`examples/${name}`) : resolve("examples", name)

/** Runs an example in a process of its own. */
const run = (name: string, args: ReadonlyArray<string>, cwd: string, env: Environment) =>
  Effect.promise(() => runNode([fileOf(name), ...args], { cwd, env: { NO_COLOR: "1", ...env } }))

const runStep = Effect.fnUntraced(function* (step: string, home: string) {
  const { messages, setFault } = yield* Sandbox
  const [, fault] = /^fault (.*)$/.exec(step) ?? []
  if (fault !== undefined) return yield* Effect.as(setFault(JSON.parse(fault)), "")
  const [last] = yield* messages()
  const [name = "", ...args] = step.replace("LAST", last?.message_id ?? "").split(" ")
  const settings = yield* sandboxSettings
  const cwd = mkdtempSync(join(home, "folder-"))
  const { code, stderr, stdout } = yield* run(name, args, cwd, { ...settings, HOME: home })
  return [
    withoutChance(stdout, home),
    withoutChance(stderr, home).replaceAll(/^(?=.)/gm, "! "),
    code === 0 ? "" : `exit ${code}`,
    `${(yield* messages()).length} SMS`
  ].join("\n")
})

it.live("the transcript Examples.txt is what happens", () =>
  Effect.gen(function* () {
    const file = `${import.meta.dirname}/Examples.txt`
    const now = yield* transcriptOf(file, (steps) =>
      Effect.flatMap(folder, (home) => steps((step) => runStep(step, home))).pipe(
        Effect.scoped,
        sandboxed
      )
    )
    yield* Effect.promise(() => expect(now).toMatchFileSnapshot(file))
  })
)

it("a script gets nothing from a sandbox of the process that starts it by spawnSync", async () => {
  await using sandbox = await startSandbox()
  const program = ["-e", "fetch(process.argv[1])", `${sandbox.baseUrl}/healthz`]
  expect(await runNode(program)).toMatchObject({ code: 0 })
  expect(spawnSync(process.execPath, program, { timeout: 2000 })).toMatchObject({ status: null })
})

/** The examples that send, each with its arguments. */
const senders: Readonly<Record<string, ReadonlyArray<string>>> = {
  "campaign-script.ts": [],
  "campaign.ts": ["+15550000123", "+15550000124"],
  "handle-errors.ts": ["+15550000123"],
  "script.cjs": ["+15550000123"],
  "script.ts": [],
  "send-batch.ts": ["+15550000123", "+15550000124"],
  "send-once.ts": ["order-7"],
  "send.ts": [],
  "telemetry.ts": []
}

const readers = ["follow-script.ts", "follow-status.ts", "spans.ts", "two-accounts.ts"]

it.live.each([...Object.keys(senders), ...readers])(
  "%s refuses to start without the service's variables",
  (name) =>
    Effect.gen(function* () {
      const home = yield* folder
      const args = senders[name] ?? ["some-id", "SOME"]
      const ended = yield* run(name, args, home, { HOME: home })
      expect(ended).toMatchObject({ code: 1, stdout: "" })
      expect(ended.stderr).toContain("MESSAGING_TOPUP_BASE_URL")
    }).pipe(Effect.scoped)
)

/** The exit code of a program whose requests all get what a number with this ending gets. */
const exitCodes = { "0123": 0, "0402": 1, "0900": 3 }

it("every example that sends has its arguments above, or is a function", () => {
  const sending = globSync("*.{ts,cjs}", { cwd: "examples" }).filter((name) =>
    /\b(sendSms|sendOnce|sendMany)\(/.test(readFileSync(`examples/${name}`, "utf8"))
  )
  const functions = ["one-error.ts", "resend.ts", "resend-script.ts"]
  expect(sending.toSorted()).toEqual([...functions, ...Object.keys(senders)].toSorted())
})

/** Sets what all requests get, and gives the variables of an example in a new home. */
const settingsAfter = Effect.fnUntraced(function* (ending: string) {
  const home = yield* folder
  const settings = yield* sandboxSettings
  const fault = forcedOutcomes.find(({ suffix }) => suffix === ending)?.fault
  if (fault !== undefined) yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.setFault(fault))
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: settings.MESSAGING_TOPUP_BASE_URL }
  return { ...settings, ...collector, HOME: home }
})

for (const [ending, code] of Object.entries(exitCodes)) {
  for (const [name, args] of Object.entries(senders)) {
    it.live(`${name} ends with ${code} after what ${ending} forces`, () =>
      Effect.gen(function* () {
        const env = yield* settingsAfter(ending)
        expect(yield* run(name, args, env.HOME, env)).toMatchObject({ code })
      }).pipe(Effect.scoped, sandboxed)
    )
  }
}

for (const [name, args] of Object.entries(senders)) {
  it.live(`${name} ends with its exit code though a full disk takes no output`, () =>
    Effect.gen(function* () {
      const env = yield* settingsAfter("0900")
      const toFullDisk = ["-c", 'exec "$@" > /dev/full 2>&1', "sh", process.execPath]
      const whole = [...toFullDisk, fileOf(name), ...args]
      const ended = yield* Effect.promise(() => runProgram("sh", whole, { env }))
      expect(ended).toMatchObject({ code: 3 })
    }).pipe(Effect.scoped, sandboxed)
  )

  it.live(`${name} ends with its exit code though nobody reads its outputs`, () =>
    Effect.gen(function* () {
      const env = yield* settingsAfter("0123")
      const { child, ended } = yield* startScoped([fileOf(name), ...args], { env })
      for (const output of [child.stdout, child.stderr]) output?.destroy()
      expect(yield* Effect.promise(() => ended)).toMatchObject({ code: 0 })
    }).pipe(Effect.scoped, sandboxed)
  )
}

/** The campaigns of the examples, each with a row of it. */
const campaigns = [
  ["campaign.ts", "spring-sale", "+15550000123", "+15550000123", "Open at 9"],
  ["campaign-script.ts", "hours", "ann", "+15550100124", "We open at 9"]
] as const

/** A program with the example's variables sends one of its rows. */
const sendRow = (campaign: string, key: string, recipient: string, message: string) => `
  import { openJournal } from "@messaging-topup/journal/promise"
  const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = process.env
  await openJournal({ baseUrl, token }).sendMany(
    ${JSON.stringify([{ key, request: { recipient, message } }])},
    { campaign: ${JSON.stringify(campaign)} }
  )`

const evaluated = (program: string) => ["--input-type=module", "--eval", program]

/** The variables of an example whose journal is in a new home. */
const withJournal = Effect.gen(function* () {
  const home = yield* folder
  const file = join(home, "journal.sqlite")
  return { ...(yield* sandboxSettings), HOME: home, MESSAGING_TOPUP_JOURNAL: file }
})

/** Another program uses the journal of these variables. */
const using = (
  variables: Effect.Success<typeof withJournal>,
  use: (journal: Journal) => Promise<unknown>
) =>
  Effect.promise(async () => {
    await using journal = openJournal({
      baseUrl: variables.MESSAGING_TOPUP_BASE_URL,
      token: variables.MESSAGING_TOPUP_TOKEN,
      journal: variables.MESSAGING_TOPUP_JOURNAL
    })
    await use(journal)
  })

for (const [name, campaign, key, recipient, message] of campaigns) {
  it.live(`${name} ends with 3 while a row of a program that was killed is in flight`, () =>
    Effect.gen(function* () {
      const { clearFault, messages, setFault, until } = yield* Sandbox
      const home = yield* folder
      const env = { ...(yield* sandboxSettings), HOME: home }
      yield* setFault({ fault: "NoResponse", accept: true })
      yield* Effect.gen(function* () {
        const args = evaluated(sendRow(campaign, key, recipient, message))
        yield* startScoped(args, { cwd: "examples", env })
        yield* until((kept) => kept.messages.length > 0)
      }).pipe(Effect.scoped)
      yield* clearFault
      const ended = yield* run(name, [recipient], home, env)
      expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining("inFlight: 1,") })
      expect(ended.stderr).toMatch(/run again after \d{4}-/)
      expect(yield* messages({ recipient })).toHaveLength(1)
    }).pipe(Effect.scoped, sandboxed)
  )

  it.live(`${name} ends with 0 if a person closed a row`, () =>
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
      const env = yield* withJournal
      yield* using(env, async (journal) => {
        await journal.sendMany([{ key, request: { recipient, message } }], { campaign })
        await journal.resolve({ campaign }, "not-sent")
      })
      const ended = yield* run(name, [recipient], env.HOME, env)
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("closed: 1,") })
    }).pipe(Effect.scoped, sandboxed)
  )

  it.live(`${name} ends with 1 if a row was sent with another text`, () =>
    Effect.gen(function* () {
      const env = yield* withJournal
      yield* using(env, ({ sendMany }) =>
        sendMany([{ key, request: { recipient, message: "Open at 8" } }], { campaign })
      )
      const ended = yield* run(name, [recipient], env.HOME, env)
      expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining("changed: 1,") })
      expect(ended.stdout).toContain("_tag: 'Changed'")
      expect(ended.stdout).toContain("sent now: 0 {")
      expect(ended.stderr).toContain("not sent, as their keys have another SMS in the journal: 1\n")
    }).pipe(Effect.scoped, sandboxed)
  )
}

/** The examples that send one SMS for an order, each with its key. */
const orders = [
  ["campaign-script.ts", "order-1"],
  ["send-once.ts", "order-7"]
] as const

for (const [name, key] of orders) {
  it.live(`${name} ends with 3 while an order is unknown, and with 0 once a person closed it`, () =>
    Effect.gen(function* () {
      const { messages, setFault } = yield* Sandbox
      const env = yield* withJournal
      yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
      expect(yield* run(name, [key], env.HOME, env)).toMatchObject({ code: 3 })
      // What became of the order keeps no list from going out.
      const sent = yield* messages()
      expect(sent).toHaveLength(name === "campaign-script.ts" ? 2 : 1)
      yield* using(env, (journal) => journal.resolve({ key }, "not-sent"))
      const ended = yield* run(name, [key], env.HOME, env)
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining("A person decided") })
      expect(yield* messages()).toHaveLength(sent.length)
    }).pipe(Effect.scoped, sandboxed)
  )
}

const sendAnother = ({ sendMany }: Journal) =>
  sendMany([{ key: "a", request: { recipient: "+15550100199", message: "Hello" } }], {
    campaign: "another"
  })

for (const [name, , , recipient] of campaigns) {
  it.live(`${name} ends with 4 if an older copy takes the place of its journal`, () =>
    Effect.gen(function* () {
      const { setFault, until } = yield* Sandbox
      const env = yield* withJournal
      const { HOME: home, MESSAGING_TOPUP_JOURNAL: file } = env
      yield* using(env, sendAnother)
      // In a process of its own: a program that reads its journal's file drops the locks of SQLite.
      execFileSync("cp", [file, `${file}.older`])
      yield* setFault({ fault: "Slow", seconds: 2 })
      const program = yield* startScoped([fileOf(name), recipient], { cwd: home, env })
      yield* until(({ messages }) => messages.some((sms) => sms.recipient === recipient))
      execFileSync("cp", [`${file}.older`, file])
      expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 4 })
    }).pipe(Effect.scoped, sandboxed)
  )
}

it.live.each(["campaign.ts", "campaign-script.ts", "send-once.ts"])(
  "%s ends with 4 if its journal is damaged",
  (name) =>
    Effect.gen(function* () {
      const env = yield* withJournal
      const { HOME: home, MESSAGING_TOPUP_JOURNAL: file } = env
      yield* using(env, sendAnother)
      const whole = readFileSync(file)
      const damaged = [
        [whole.subarray(0, 100), Buffer.alloc(whole.length - 100, 255)],
        // Without its first page, it is no database.
        [Buffer.alloc(4096), whole.subarray(4096)]
      ]
      for (const pieces of damaged) {
        writeFileSync(file, Buffer.concat(pieces))
        const ended = yield* run(name, ["+15550000123"], home, env)
        expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("it is damaged") })
      }
    }).pipe(Effect.scoped, sandboxed)
)

/** The line after which a program's own code fails, and how it does. */
const ownFailures = {
  "script.ts": 'console.log("accepted:", data)',
  "send.ts": 'yield* Console.log("accepted:", data)'
}

for (const [name, line] of Object.entries(ownFailures)) {
  it.live(`${name} ends with 3 if its own code fails after the send`, () =>
    Effect.gen(function* () {
      const source = readFileSync(`examples/${name}`, "utf8")
      const failing = source.replace(line, `${line}\n    throw new Error("the database is down")`)
      const env = yield* sandboxSettings
      const ended = yield* Effect.promise(() =>
        runNode(evaluated(failing), { cwd: "examples", env })
      )
      expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining("accepted") })
      expect(ended.stderr).toContain("the database is down")
    }).pipe(Effect.scoped, sandboxed)
  )
}

it.live("script.ts is also plain JavaScript", () =>
  Effect.gen(function* () {
    const { messages } = yield* Sandbox
    const env = yield* sandboxSettings
    const script = readFileSync("examples/script.ts", "utf8")
    const args = ["--input-type=module", "--eval", script]
    const { stdout } = yield* Effect.promise(() => runNode(args, { cwd: "examples", env }))
    expect(stdout).toContain((yield* messages())[0]?.message_id)
  }).pipe(sandboxed)
)

it.live("telemetry.ts sends the span and the count of a send to a collector", () =>
  Effect.gen(function* () {
    const collector = yield* responseServer
    const ended = yield* run("telemetry.ts", [], ".", {
      ...(yield* sandboxSettings),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.baseUrl
    })
    expect(ended).toMatchObject({ code: 0, stdout: "accepted: 1\n", stderr: "" })
    const received = (path: string) =>
      collector.received.flatMap(({ body, url }) => (url === path ? body : [])).join()
    for (const name of ["checkout", "sendSms"]) {
      expect(received("/v1/traces")).toContain(`"name":"${name}"`)
    }
    expect(received("/v1/metrics")).toContain('"name":"messaging_topup.sends"')
    expect(JSON.stringify(collector.received)).not.toMatch(/15550100123|4711/)
  }).pipe(Effect.scoped, sandboxed)
)

it.live("two-accounts.ts reads with both, and spans.ts prints a span", () =>
  Effect.gen(function* () {
    const settings = yield* sandboxSettings
    const second = {
      SHOP_BASE_URL: settings.MESSAGING_TOPUP_BASE_URL,
      SHOP_TOKEN: settings.MESSAGING_TOPUP_TOKEN
    }
    const read = yield* run("two-accounts.ts", [], ".", { ...settings, ...second })
    expect(read).toMatchObject({ code: 0, stderr: "" })
    expect(read.stdout).toMatch(/^account: \d+ bundles\nshop: \d+ bundles\n$/)
    const wrong = yield* run("two-accounts.ts", [], ".", {
      ...settings,
      ...second,
      SHOP_TOKEN: "no"
    })
    expect(wrong).toMatchObject({ code: 1 })
    expect(wrong.stderr).toContain("HTTP 401")
    const traced = yield* run("spans.ts", [], ".", settings)
    expect(traced.stdout).toMatch(/^listDataBundles \{[^]*'url\.template'[^]*\}\nshop \{\}\n$/)
  }).pipe(sandboxed)
)

it.effect("one-error.ts handles a payment that is required", () =>
  Effect.gen(function* () {
    yield* send
    expect(yield* TestConsole.errorLines).toEqual(["Pay, then send again"])
  }).pipe(Effect.provide(service))
)
