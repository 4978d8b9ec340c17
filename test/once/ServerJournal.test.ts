import { execFileSync } from "node:child_process"
import { renameSync, rmSync, truncateSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { operate } from "../harness/Command.ts"
import { reply } from "../harness/ResponseServer.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { openFastTime, passTime, resetTime } from "../harness/mcp/Clock.ts"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"
import { type Environment, runInProcess } from "../harness/mcp/Server.ts"
import { openStdio, callOf } from "../harness/mcp/RawStdio.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import { callOver, messageOf, openHttp } from "../harness/mcp/RawHttp.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const journalIn = (path: string) => ["--journal", join(path, "sends.sqlite")]

describe("of the sends of a server", () => {
  const lost = { ...sms, recipient: "+15550000500" }

  const unknownSend = async (state: ReadonlyArray<string>, environment: Environment = {}) => {
    await using server = await guarded(anyRoute, state, { environment })
    await server.send(sms)
    await server.send(lost)
  }

  it("sends lists every one", async () => {
    const state = journalIn(temporaryFolder())
    await unknownSend(state)
    const database = new DatabaseSync(state[1] ?? "")
    const columns =
      "owner, ticket, request, recipient, content, caller, segments, state, claimed_at, stale_at"
    database.exec(`with recursive number(n) as (select 1 union all select n + 1 from number where n < 1500)
      insert into send (key, attempt, ${columns}) select 'k' || n, 0, ${columns} from send, number
      where send.state = 'unknown'`)
    database.close()
    expect((await operate(["sends", "--unknown", ...state])).events).toHaveLength(1501)
  })

  it("resolve --resend says of how many the call needs again", async () => {
    const state = journalIn(temporaryFolder())
    await using server = await guarded(anyRoute, state, { person: () => approve })
    const resend = async () => {
      const [send] = (await operate(["sends", "--unknown", ...state])).events
      return operate(["resolve", "--id", String(send?.["id"]), "--resend", "--yes", ...state])
    }
    const resolved = { event: "Resolved", as: "resend", changed: 1, meanwhile: 0 }
    const loses = () => server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await loses()
    await server.send(sms)
    expect(await resend()).toMatchObject({ code: 0, events: [resolved] })
    expect((await server.send(sms)).duplicate).toBe(false)
    // A second copy, after one that went out.
    await loses()
    await server.send({ ...sms, again: true })
    const second = await resend()
    expect(second).toMatchObject({ code: 0, events: [{ ...resolved, need_again: 1 }] })
    expect(second.stderr).toContain("The call of 1 send needs again: true, because an earlier send")
    expect((await server.send(sms)).duplicate).toBe(true)
    expect((await server.send({ ...sms, again: true })).duplicate).toBe(false)
    const ofBatch = "A batch's call also sends again what it sent over 20 hours ago"
    expect(second.stderr).not.toContain(ofBatch)
    await loses()
    const recipients = [sms.recipient, "+254700000002"]
    await server.call("send_sms_batch", { message: "Bye", recipients })
    expect((await resend()).stderr).toContain(ofBatch)
  })

  it("prune --older-than deletes old ones, and those of unknown outcome only with --unknown", async () => {
    const state = journalIn(temporaryFolder())
    await unknownSend(state)
    const prune = async (age: string, ...args: ReadonlyArray<string>) =>
      (await operate(["prune", "--yes", "--older-than", age, ...args, ...state])).events
    const pruned = (sends: number) => [{ event: "Pruned", sends }]
    const outcomes = async () =>
      (await operate(["sends", ...state])).events.map((event) => event["state"])
    onTestFinished(resetTime)
    // A send that something still counts is kept: a question about the same text, for 30 days.
    expect(await prune("0 seconds")).toEqual(pruned(0))
    passTime("29 days")
    expect(await prune("2 days")).toEqual(pruned(0))
    passTime("2 days")
    expect(await prune("90 days")).toEqual(pruned(0))
    expect(await outcomes()).toEqual(["unknown", "sent"])
    expect(await prune("2 days")).toEqual(pruned(1))
    expect(await outcomes()).toEqual(["unknown"])
    expect(await prune("2 days", "--unknown")).toEqual(pruned(1))
    expect(await outcomes()).toEqual([])
  })

  it.each(["sends", "resolve", "prune"])("the server does not list or decide: %s", async (name) => {
    const ended = await runInProcess([name, sms.recipient])
    expect(ended).toMatchObject({ code: 2, stdout: "" })
    expect(ended.stderr).toContain("commands are those of messaging-topup")
    expect(ended.stderr).not.toContain(sms.recipient)
  })

  it.each([
    [["resolve", "--id", "x", "--sent"], /--id: give a whole number/],
    [["resolve", "--id", "1"], /one of --sent, --not-sent and --resend/],
    [["resolve", "--id", "1", "--sent", "--resend"], /one of --sent, --not-sent and --resend/],
    [["resolve", "--id", "1", "--sent", "--was", "closed"], /--was: give sent, not-sent or resend/],
    [["resolve", "--id", "1", "--key", "1", "--sent"], /Give only one of these: a list/],
    [["resolve", "a.csv", "--key", "1", "--sent"], /Give only one of these: a list/],
    [["sends", "more"], /too many arguments/],
    [["prune", "--older-than", "old"], /--older-than: give a duration from 0 seconds to 36500/],
    [["prune", "list.csv", "--older-than", "1 day"], /Give a campaign, or --older-than/]
  ])("%j says what is wrong", async (args, problem) => {
    expect(await operate(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(problem) })
  })
})

// Transcript.test.ts has the refusals.
describe("a journal", () => {
  it("that cannot be used is said once, and again only when it can be used", async () => {
    const path = temporaryFolder()
    await using server = await guarded(anyRoute, journalIn(path))
    expect((await server.send(sms)).isError).toBe(false)
    const events = () =>
      server.log.entries().flatMap(({ event }) => (event.startsWith("journal") ? [event] : []))
    const unavailable = "journal unavailable: nothing is sent"
    renameSync(join(path, "sends.sqlite"), join(path, "away"))
    for (let each = 0; each < 3; each += 1) {
      const refused = await server.send({ ...sms, message: "Another" })
      expect(refused.error).toMatchObject({ code: "journal_unavailable" })
    }
    const read = await server.call("list_recent_sends", {})
    expect(read.text).toMatch(/^Nothing was read: this server could not read or write/)
    expect(read.error).not.toHaveProperty("outcome")
    await server.log.entry(unavailable)
    expect(events()).toEqual(["journal created", unavailable])
    renameSync(join(path, "away"), join(path, "sends.sqlite"))
    // What a check of the journal found holds for a second.
    server.pass("2 seconds")
    expect((await server.send({ ...sms, message: "Another" })).isError).toBe(false)
    await server.log.entry("journal available again")
    expect(events()).toHaveLength(3)
  })
})

it("a server whose journal is put back while an SMS is in flight says so, and sends nothing more", async () => {
  const path = temporaryFolder()
  const overHttp = { era: "modern", over: "http" } as const
  await using server = await guarded(overHttp, journalIn(path))
  expect((await server.send(sms)).isError).toBe(false)
  const [file, older] = [join(path, "sends.sqlite"), join(path, "older")]
  // In a process of its own: a program that reads its journal's file drops the locks of SQLite.
  execFileSync("cp", [file, older])
  const sending = server.send({ ...sms, recipient: slowRecipient })
  await server.upstream.until(({ requests }) => requests.length >= 2)
  execFileSync("cp", [older, file])
  await server.upstream.hurry()
  expect((await sending).isError).toBe(false)
  const logged = server.log.entries().filter(({ event }) => /is not in the journal/.test(event))
  expect(logged).toMatchObject([{ level: "error", id: 2, journal: file, outcome: "sent" }])
  for (const recipient of [slowRecipient, "+15550103333"]) {
    const refused = await server.send({ ...sms, recipient })
    expect(refused.error).toMatchObject({ code: "journal_unavailable", outcome: "unknown" })
    expect(refused.text).toContain(
      "keep the older one, which alone has what was sent meanwhile, put the newer one back"
    )
  }
  const listed = await server.call("list_recent_sends", {})
  expect(listed.error).toMatchObject({ code: "journal_unavailable" })
  // What /readyz says holds for a second.
  server.pass("2 seconds")
  expect((await fetch(new URL("/readyz", server.url))).status).toBe(503)
  expect(await server.log.entry("journal unavailable: nothing is sent")).toMatchObject({
    problem: expect.stringContaining("an older copy")
  })
  expect(await server.sent()).toBe(2)
})

const copies: Readonly<Record<string, (file: string, older: string) => unknown>> = {
  cp: (file, older) => execFileSync("cp", [file, older]),
  "vacuum into": (file, older) => {
    const database = new DatabaseSync(file)
    database.exec(`vacuum into '${older}'`)
    database.close()
  }
}

it.each(
  Object.entries(copies).flatMap(([how, copy]) =>
    (["send_sms", "send_sms_batch"] as const).map((tool) => [tool, how, copy] as const)
  )
)(
  "an idle server whose journal is put back refuses the next %s, and sends nothing more: %s",
  async (tool, _how, copy) => {
    const path = temporaryFolder()
    const overHttp = { era: "modern", over: "http" } as const
    await using server = await guarded(overHttp, journalIn(path))
    const { message, recipient } = sms
    const call = () =>
      tool === "send_sms"
        ? server.call(tool, sms)
        : server.call(tool, { message, recipients: [recipient, "+254700000002"] })
    const [file, older] = [join(path, "sends.sqlite"), join(path, "older")]
    expect((await server.send({ ...sms, recipient: "+254700000003" })).isError).toBe(false)
    copy(file, older)
    expect((await call()).structured).toMatchObject({ outcome: "sent" })
    const sent = await server.sent()
    execFileSync("cp", [older, file])
    for (let each = 0; each < 2; each += 1) {
      expect(JSON.stringify((await call()).structured)).toContain("journal_unavailable")
    }
    server.pass("2 seconds")
    expect((await fetch(new URL("/readyz", server.url))).status).toBe(503)
    expect(await server.log.entry("journal unavailable: nothing is sent")).toMatchObject({
      problem: expect.stringContaining("an older copy")
    })
    expect(await server.sent()).toBe(sent)
    // The claims were given back.
    expect((await operate(["sends", "--journal", file])).events).toHaveLength(1)
  }
)

it("what is remembered holds for every spelling of the service's address, and not for the sandbox", async () => {
  const path = temporaryFolder()
  await using upstream = await openSandbox()
  const address = upstream.env["MESSAGING_TOPUP_BASE_URL"] ?? ""
  const file = join(path, "address")
  writeFileSync(file, `${address}\n`)
  const { MESSAGING_TOPUP_BASE_URL: _, ...token } = upstream.env
  for (const environment of [
    upstream.env,
    { ...upstream.env, MESSAGING_TOPUP_BASE_URL: address.replace("127.0.0.1", "localhost") },
    { ...token, MESSAGING_TOPUP_BASE_URL: "", MESSAGING_TOPUP_BASE_URL_FILE: file }
  ]) {
    await using server = await guarded(anyRoute, journalIn(path), { environment })
    expect((await server.send(sms)).isError).toBe(false)
  }
  expect(await upstream.messages()).toHaveLength(1)
  await using sandbox = await guarded(anyRoute, ["--sandbox", ...journalIn(path)], {
    environment: upstream.env
  })
  expect(await sandbox.send(sms)).toMatchObject({ duplicate: false })
})

it("at another address, a server sends nothing and calls nothing sent, until a person accepts that", async () => {
  const path = temporaryFolder()
  const overHttp = { era: "modern", over: "http" } as const
  const batch = { message: "To two", recipients: [sms.recipient, "+15550109999"] }
  let batch_id: unknown
  {
    await using server = await guarded(overHttp, journalIn(path))
    expect((await server.send(sms)).isError).toBe(false)
    batch_id = (await server.call("send_sms_batch", batch)).structured["batch_id"]
  }
  const environment = { MESSAGING_TOPUP_BASE_URL: "https://api.example.com" }
  await using server = await guarded(overHttp, journalIn(path), { environment })
  const ready = async () => {
    // What it says holds for a second.
    server.pass("2 seconds")
    return (await fetch(new URL("/readyz", server.url))).status
  }
  expect(await ready()).toBe(503)
  for (const message of [sms.message, "Another"]) {
    const refused = await server.send({ ...sms, message })
    expect(refused.error).toMatchObject({ code: "journal_unavailable" })
    expect(refused.text).toContain("(address localhost): its sends went to that address")
  }
  for (const [tool, argument] of [
    ["get_sms_status", { batch_id }],
    ["list_recent_sends", {}]
  ] as const) {
    const refused = await server.call(tool, argument)
    expect(refused.text).toContain("(address localhost): its sends went to that address")
  }
  expect(await server.log.entry("journal unavailable: nothing is sent")).toMatchObject({
    problem: expect.stringContaining("init --accept-address")
  })
  expect((await operate(["sends", ...journalIn(path)])).events).toHaveLength(3)
  expect((await operate(["init", "--accept-address", "--yes", ...journalIn(path)])).code).toBe(0)
  expect(await ready()).toBe(200)
  await server.log.entry("journal available again")
})

it("the list of sends as JSON contains no character that a terminal obeys", async () => {
  const state = journalIn(temporaryFolder())
  await using upstream = await openRespondingUpstream()
  const message_id = "a\u009b2J\u202eb\u200b"
  const entry = { recipient: sms.recipient, message_id, status: "ok" }
  upstream.respondWith(reply(202, { success: true, status: 202, message: "ok", data: [entry] }))
  const args = [...state, "--allow-recipients=*"]
  await using server = await openStdio("modern", args, { env: upstream.environment })
  await server.ask(callOf("modern", 1, "send_sms", sms))
  const { stdout } = await operate(["sends", ...state])
  expect(stdout).toContain("a\\u009b2J\\u202eb\\u200b")
  expect(stdout).toMatch(/^[\x20-\x7e]*\n$/)
  expect(JSON.parse(stdout)).toMatchObject({ message_id: ["a\u009b2J\u202eb\u200b"] })
})

describe("by default", () => {
  it("the state is a file that only this user may read, so a restart resends nothing", async () => {
    const home = temporaryFolder()
    await using upstream = await openSandbox()
    const env = {
      ...upstream.env,
      MESSAGING_TOPUP_JOURNAL: undefined,
      XDG_STATE_HOME: home,
      HOME: home
    }
    for (const over of ["stdio", "http", "http"] as const) {
      await using server = await guarded({ era: "modern", over }, [], { environment: env })
      expect(await server.send(sms)).toMatchObject({ isError: false })
    }
    // Over HTTP it is another caller.
    expect(await upstream.messages()).toHaveLength(2)
    const file = join(home, "messaging-topup", "journal.sqlite")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700)
    expect((await operate(["sends"], env)).events).toHaveLength(2)
  })
})

describe("a state that cannot be opened at the start", () => {
  const service = {
    MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
    MESSAGING_TOPUP_TOKEN: "token",
    MESSAGING_TOPUP_JOURNAL: undefined
  }

  const checks = async (url: string) => {
    const { origin } = new URL(url)
    const responses = await Promise.all(
      ["/healthz", "/readyz"].map((path) => fetch(`${origin}${path}`))
    )
    return responses.map(({ status }) => status)
  }

  it.each([
    ["a file that is no journal", "journal", "SQLITE_NOTADB"],
    ["a file below a file", "below", "ENOTDIR|SQLITE_CANTOPEN"],
    ["a home that cannot be written", "home", "EACCES|ENOTDIR|SQLITE_CANTOPEN"],
    ["a database that cannot be reached", "postgres", "ECONNREFUSED"]
  ] as const)("is in one line of the log, and /readyz is 503: %s", async (_, kind, code) => {
    const file = join(temporaryFolder(), "file")
    writeFileSync(file, "no database at all, of course".repeat(9))
    const env = {
      journal: { MESSAGING_TOPUP_JOURNAL: file },
      below: { MESSAGING_TOPUP_JOURNAL: join(file, "x") },
      home: { XDG_STATE_HOME: file },
      postgres: {
        MESSAGING_TOPUP_JOURNAL: "postgres://user:secret@127.0.0.1:9/none"
      }
    }[kind]
    using _fast = openFastTime()
    await using http = await openHttp([], { env: { ...service, ...env } })
    const { journal } = await http.server.log.entry("listening")
    expect(journal).toContain(kind === "postgres" ? "PostgreSQL 127.0.0.1:9/none" : file)
    const line = await http.server.log.entry("journal unavailable: nothing is sent")
    expect(line).toMatchObject({ level: "error", journal })
    expect(String(line["problem"])).toMatch(
      new RegExp(`^The journal is not available(?: \\((?:${code})\\)|: it is not a journal)`)
    )
    expect(await checks(http.url)).toEqual([200, 503])
    const preview = await callOver(http.url, "modern", 1, "preview_sms", { message: "x" })
    expect((await messageOf(preview)).result).not.toHaveProperty("isError")
    const { result } = await messageOf(await callOver(http.url, "modern", 2, "send_sms", sms))
    expect(result).toMatchObject({
      structuredContent: { code: "journal_unavailable", outcome: "unknown" }
    })
    expect(await http.server.log.entry("send refused")).toMatchObject({
      code: "journal_unavailable"
    })
    expect(http.server.written.stderr.match(/journal unavailable/g)).toHaveLength(1)
    const listed = await operate(["sends"], { ...service, ...env })
    expect(listed.code).toBe(1)
    expect(JSON.stringify([result, listed, http.server.written])).not.toContain("secret")
  })

  it("is opened again when it can be, which the log and /readyz say", async () => {
    const file = join(temporaryFolder(), "sends.sqlite")
    writeFileSync(file, "no database at all, of course".repeat(9))
    const env = { ...service, MESSAGING_TOPUP_JOURNAL: file }
    using _fast = openFastTime()
    await using http = await openHttp([], { env })
    await http.server.log.entry("journal unavailable: nothing is sent")
    rmSync(file)
    // What /readyz says holds for a second.
    passTime("2 seconds")
    expect(await checks(http.url)).toEqual([200, 200])
    await http.server.log.entry("journal available again")
    // Another reason is another line: a person has to do something else.
    for (const lose of [() => truncateSync(file), () => {}, () => rmSync(file)]) {
      lose()
      passTime("2 seconds")
      expect(await checks(http.url)).toEqual([200, 503])
    }
    const problems = [
      ...http.server.written.stderr.matchAll(/journal unavailable.*"problem":"([^"]*)/g)
    ]
    expect(problems.map(([, problem]) => problem)).toEqual([
      expect.stringContaining("not a journal"),
      expect.stringContaining("is empty"),
      expect.stringContaining("removed")
    ])
  })

  it("does not concern a server that cannot send", async () => {
    const file = join(temporaryFolder(), "file")
    writeFileSync(file, "no database at all, of course".repeat(9))
    const env = { ...service, MESSAGING_TOPUP_JOURNAL: file }
    await using http = await openHttp(["--read-only"], { env })
    expect(await checks(http.url)).toEqual([200, 200])
    expect(http.server.written.stderr).not.toContain("journal")
  })
})
