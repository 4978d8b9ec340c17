import { ConnectionLost, InvalidInput } from "@messaging-topup/core/promise"
import {
  type Journal,
  openJournal,
  type OpenJournalOptions
} from "@messaging-topup/journal/promise"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import { once } from "node:events"
import { rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished, vi } from "vitest"
import { acceptance } from "../harness/Contract.ts"
import { operate } from "../harness/Command.ts"
import { portOf } from "../harness/Listening.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { rowOf } from "../harness/campaign/Rows.ts"

const opened = async () => {
  const folder = temporaryFolder()
  const sandbox = await startSandbox()
  const { baseUrl, token } = sandbox
  const instances = new Set<Journal>()
  const open = () => {
    const campaigns = openJournal({ journal: join(folder, "journal.db"), baseUrl, token })
    instances.add(campaigns)
    return campaigns
  }
  onTestFinished(async () => {
    for (const campaigns of instances) await campaigns.close()
    await sandbox.close()
  })
  return { campaigns: open(), folder, reopen: open, sandbox }
}

it("a script sends the rows of a campaign once each, and rows that it adds later", async () => {
  const { campaigns, sandbox } = await opened()
  const asynchronous = async function* () {
    yield* [0, 1, 2, 3].map((index) => rowOf(index))
  }
  const tags = new Array<string>()
  const first = await campaigns.sendMany([rowOf(0), rowOf(1)], {
    campaign: "c",
    onEvent: ({ _tag }) => tags.push(_tag)
  })
  expect(first).toMatchObject({ sentNow: 2, rows: { sent: 2 } })
  expect(tags).toContain("Settled")
  const second = await campaigns.sendMany(asynchronous(), { campaign: "c" })
  expect(second).toMatchObject({ sentNow: 2, rows: { sent: 4 } })
  expect(await sandbox.messages()).toHaveLength(4)
})

it("the command knows the rows that a program sent, also those that it would refuse itself", async () => {
  const { campaigns, folder, sandbox } = await opened()
  const sent = [
    ["a", "+49 (0)151 23456780", "Hi"],
    ["b", "tel:+15550100201", "Hi"],
    ["10001234", "abc", "Hi"],
    ["d", "+15550100204", "Ref undefined is here"],
    ["e", "+15550100205", "Dear {name}"],
    ["f", "+15550000500", "Dear {name}"]
  ] as const
  const rows = sent.map(([key, recipient, message]) => ({ key, request: { recipient, message } }))
  const { rows: ended } = await campaigns.sendMany(rows, { campaign: "c" })
  expect(ended).toMatchObject({ sent: 5, unknown: 1 })
  const file = join(folder, "rows.csv")
  const lines = [["key", "recipient", "message"], ...sent].map((row) => `${row.join(",")}\n`)
  writeFileSync(file, lines.join(""))
  const about = [file, "--campaign", "c", "--journal", join(folder, "journal.db")]
  const outcomes = async () => {
    const { stderr, stdout } = await operate(["results", ...about])
    expect(stderr).toBe("")
    return stdout
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(",").slice(4, 6))
  }
  const ids = (await sandbox.messages()).map(({ message_id }) => ["sent", message_id])
  expect(new Set(await outcomes())).toEqual(new Set([...ids, ["unknown", ""]]))
  expect((await operate(["resolve", ...about, "--sent", "--line", "7"])).events).toMatchObject([
    { event: "Resolved", changed: 1 }
  ])
  expect((await outcomes()).map(([outcome]) => outcome)).toEqual(sent.map(() => "sent"))
  const report = await operate(["report", ...about])
  expect(report.stdout).not.toContain('data-count="impossible"')
  expect(report.stdout).not.toContain('data-count="gone"')
})

it("the command finds and decides a row of a program's campaign by its key of digits, and says why one was rejected", async () => {
  const { campaigns, folder, sandbox } = await opened()
  const { request } = rowOf(0)
  await sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  const rows = [
    { key: "10001234", request },
    { key: "ann", request: { ...request, recipient: "+15550000404" } },
    { key: "bob", request: { ...request, recipient: "+15550000500" } }
  ]
  await campaigns.sendMany(rows, { campaign: "c" })
  const file = join(folder, "list.csv")
  const lines = rows.map(
    ({ key, request: { message, recipient } }) => `${key},${recipient},${message}`
  )
  writeFileSync(file, ["key,recipient,message", ...lines, ""].join("\n"))
  const named = ["--campaign", "c", "--journal", join(folder, "journal.db")]
  const ofCampaign = [file, ...named]
  const { stdout } = await operate(["results", ...ofCampaign])
  expect(stdout).toMatch(/^10001234,.*,2,unknown,/m)
  expect(stdout).toMatch(
    /^ann,.*,3,rejected,.*"the service responded ""Not found"" \(NotFound 404\)"/m
  )
  const ofRow = ["resolve", ...named, "--key", "10001234"]
  for (const args of [
    [...ofRow, "--not-sent"],
    ["resolve", ...ofCampaign, "--sent"],
    [...ofRow, "--was", "not-sent", "--sent"]
  ]) {
    expect(await operate(args)).toMatchObject({ code: 0, events: [{ changed: 1 }] })
  }
  expect(await campaigns.sendOnce({ campaign: "c", key: "10001234" }, request)).toMatchObject({
    isEarlier: true
  })
})

it("a program that was tried on a sandbox is refused at the real address, whatever it calls", async () => {
  const { campaigns, folder, reopen, sandbox } = await opened()
  const { request } = rowOf(0)
  await campaigns.sendOnce("a", request)
  await campaigns.sendMany([rowOf(1)], { campaign: "c" })
  const journal = join(folder, "journal.db")
  await using moved = openJournal({ journal, baseUrl: "https://api.example.com", token: "token" })
  const refused = {
    _tag: "JournalUnavailable",
    problem: "other-address",
    code: "address localhost"
  }
  for (const send of [
    () => moved.sendOnce("a", request),
    () => moved.sendOnce("new", request),
    () => moved.sendOnce({ campaign: "c", key: "k1" }, request),
    () => moved.sendMany([rowOf(1)], { campaign: "c" }),
    () => moved.sendMany([rowOf(2)], { campaign: "new" })
  ]) {
    await expect(send()).rejects.toMatchObject(refused)
  }
  expect(await moved.resolve({ key: "a" }, "sent")).toMatchObject({ changed: 0 })
  expect((await operate(["sends", "--journal", journal])).events).toHaveLength(2)
  expect(await sandbox.messages()).toHaveLength(2)
  const accepts = ["init", "--accept-address", "--yes", "--journal", journal]
  expect((await operate(accepts)).code).toBe(0)
  await moved.sendMany([], { campaign: "moved" })
  // What runs with the old address sends there until it is restarted.
  expect(await campaigns.sendOnce("late", request)).toMatchObject({ isEarlier: false })
  await expect(reopen().sendOnce("later", request)).rejects.toMatchObject({
    ...refused,
    code: "address api.example.com"
  })
})

it("sendOnce sends once, and a person's words are obeyed", async () => {
  const { campaigns, sandbox } = await opened()
  const { request } = rowOf(1)
  const [one, other] = await Promise.all([
    campaigns.sendOnce("a", request),
    campaigns.sendOnce("a", request)
  ])
  expect(one.messages).toEqual(other.messages)
  await sandbox.setFault({ fault: "ResetAfterAcceptance", times: 2 })
  await expect(campaigns.sendOnce("b", request)).rejects.toMatchObject({ _tag: "ConnectionLost" })
  await campaigns.sendMany([rowOf(2)], { campaign: "c" })
  expect(await campaigns.resolve({ key: "b" }, "not-sent")).toMatchObject({ changed: 1 })
  await expect(campaigns.sendOnce("b", request)).rejects.toMatchObject({ _tag: "SendClosed" })
  expect(await campaigns.resolve({ campaign: "c", keys: ["k2"] }, "resend")).toMatchObject({
    changed: 1
  })
  expect(await campaigns.sendMany([rowOf(2)], { campaign: "c" })).toMatchObject({ sentNow: 1 })
  expect(await sandbox.messages()).toHaveLength(4)
})

it("a rejected row stays rejected, also corrected, until it is retried or sent by itself", async () => {
  const { campaigns, sandbox } = await opened()
  const { key, request } = rowOf(1)
  const wrong = { key, request: { ...request, recipient: "+15550000400" } }
  const run = (row: typeof wrong, retryRejected = false) =>
    campaigns.sendMany([row], { campaign: "c", retryRejected })
  expect(await run(wrong)).toMatchObject({ rows: { rejected: 1 } })
  const events = new Array<unknown>()
  const onEvent = (event: unknown) => events.push(event)
  const again = await campaigns.sendMany([rowOf(1)], { campaign: "c", onEvent })
  expect(again).toMatchObject({ sentNow: 0, rows: { rejected: 1, changed: 0 } })
  expect(events).toEqual([])
  const row = { campaign: "c", key }
  await expect(campaigns.sendOnce(row, wrong.request)).rejects.toMatchObject({
    _tag: "InvalidRequest"
  })
  expect(await run(rowOf(1), true)).toMatchObject({ sentNow: 1, rows: { sent: 1 } })
  const [sent] = await sandbox.messages()
  expect(await campaigns.sendOnce(row, rowOf(1).request)).toMatchObject({
    isEarlier: true,
    messages: [{ message_id: sent?.message_id }]
  })
  expect(await sandbox.messages()).toHaveLength(1)
})

it("says what is known of the SMS, forgets what is old, and refuses calls after close", async () => {
  const { campaigns, sandbox } = await opened()
  const { request } = rowOf(1)
  await sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  await expect(campaigns.sendOnce("a", request)).rejects.toBeInstanceOf(ConnectionLost)
  const again = campaigns.sendOnce("a", request)
  await expect(again).rejects.toMatchObject({ _tag: "OutcomeUnknown", sendOutcome: "unknown" })
  // Whether the first one went out comes before what it said.
  const sendOther = () => campaigns.sendOnce("a", { ...request, message: "other" })
  await expect(sendOther()).rejects.toMatchObject({ _tag: "OutcomeUnknown" })
  await campaigns.resolve({ key: "a" }, "sent")
  await expect(sendOther()).rejects.toMatchObject({
    _tag: "KeyConflict",
    state: "sent",
    sendOutcome: "not-sent"
  })
  await campaigns.sendMany([rowOf(2)], { campaign: "c" })
  expect(await campaigns.prune({ campaign: "c" })).toBe(1)
  const pruned = campaigns.sendMany([rowOf(2)], { campaign: "c" })
  await expect(pruned).rejects.toMatchObject({ _tag: "CampaignPruned", sendOutcome: "unknown" })
  await expect(campaigns.prune({ olderThan: -1 })).rejects.toBeInstanceOf(InvalidInput)
  await campaigns.close()
  const late = {
    sendOnce: () => campaigns.sendOnce("b", request),
    sendMany: () => campaigns.sendMany([rowOf(3)], { campaign: "d" }),
    resolve: () => campaigns.resolve({ key: "a" }, "sent"),
    prune: () => campaigns.prune({ olderThan: 1 })
  } satisfies Record<Exclude<keyof Journal, "close" | symbol>, () => Promise<unknown>>
  for (const call of Object.values(late)) {
    await expect(call()).rejects.toMatchObject({
      _tag: "ClientClosed",
      message: "The journal is closed, and this call sent nothing: open it, and call again"
    })
  }
  await expect(late.sendOnce()).rejects.toMatchObject({ sendOutcome: "unknown" })
})

it("close ends what has been claimed, and what only waits is refused", async () => {
  const { campaigns, reopen, sandbox } = await opened()
  await sandbox.setFault({ fault: "Slow", seconds: 1, times: 3 })
  const { request } = rowOf(1)
  const sending = ["a", "b", "c"].map((key) => campaigns.sendOnce(key, request))
  await sandbox.until(({ requests }) => requests.length === 3)
  const waiting = campaigns.sendOnce("a", request).catch((error: unknown) => error)
  // It looks the key up before it waits.
  await reopen().sendOnce("d", request)
  await campaigns.close()
  expect(await waiting).toMatchObject({ _tag: "ClientClosed" })
  expect(await Promise.all(sending)).toMatchObject([
    { isEarlier: false },
    { isEarlier: false },
    { isEarlier: false }
  ])
  expect(await reopen().sendOnce("a", request)).toMatchObject({ isEarlier: true })
  expect(await sandbox.messages()).toHaveLength(4)
})

it("close waits for the requests in flight, and the next call sends the other rows", async () => {
  const { campaigns, reopen, sandbox } = await opened()
  const rows = Array.from({ length: 200 }, (_, index) => rowOf(index))
  let closed: Promise<void> | undefined
  const sending = campaigns.sendMany(rows, {
    campaign: "c",
    concurrency: 5,
    onEvent: ({ _tag }) => {
      if (_tag === "Settled") closed ??= campaigns.close()
    }
  })
  const { rows: counts, sentNow, stop } = await sending
  await closed
  const sent = (await sandbox.messages()).length
  expect(sent).toBeLessThan(200)
  expect({ sentNow, stop, counted: counts.sent }).toEqual({
    sentNow: sent,
    stop: { reason: "Closed" },
    counted: sent
  })
  const rest = await reopen().sendMany(rows, { campaign: "c" })
  expect(rest).toMatchObject({ sentNow: 200 - sent, rows: { sent: 200, unknown: 0 } })
  expect(await sandbox.messages()).toHaveLength(200)
})

it("has as many requests in flight as it is asked for", async () => {
  let received = 0
  let isFull = false
  const held = new Array<() => void>()
  const body = JSON.stringify({
    success: true,
    status: 202,
    message: "",
    data: [{ recipient: "", message_id: "m", status: "accepted" }]
  })
  const server = createServer((request, response) => {
    request.resume()
    held.push(() => response.writeHead(202, { "content-type": "application/json" }).end(body))
    isFull ||= held.length === 150
    // The first responses let the others begin.
    if (++received <= 10 || isFull) for (const respond of held.splice(0)) respond()
  })
  await once(server.listen({ port: 0, host: "127.0.0.1" }), "listening")
  const campaigns = openJournal({
    journal: "memory",
    baseUrl: `http://127.0.0.1:${portOf(server)}`,
    token: "token"
  })
  onTestFinished(async () => {
    await campaigns.close()
    server.close().closeAllConnections()
  })
  const rows = Array.from({ length: 400 }, (_, index) => rowOf(index))
  const sent = await campaigns.sendMany(rows, { campaign: "c", concurrency: 150 })
  expect(sent.sentNow).toBe(400)
})

it("ends a request at its time-out, and throws for an option that there is not", async () => {
  await using sandbox = await startSandbox()
  const { baseUrl, token } = sandbox
  await using journal = openJournal({ journal: "memory", baseUrl, token, timeout: 50 })
  await sandbox.setFault({ fault: "NoResponse", accept: true })
  const lost = journal.sendOnce("a", rowOf(1).request)
  await expect(lost).rejects.toMatchObject({ _tag: "RequestTimedOut", timeoutMillis: 50 })
  const misspelt: OpenJournalOptions = Object.assign({ baseUrl, token }, { jornal: "a.sqlite" })
  expect(() => openJournal(misspelt)).toThrow(
    "jornal: there is no such option; the options are jou"
  )
})

it("sendOnce sends nothing with an option that would be ignored", async () => {
  const { campaigns, sandbox } = await opened()
  const given: Parameters<Journal["sendOnce"]> = ["a", rowOf(1).request]
  Object.assign(given, { 2: { signal: AbortSignal.timeout(1) } })
  await expect(campaigns.sendOnce(...given)).rejects.toMatchObject({
    _tag: "InvalidInput",
    field: "options",
    sendOutcome: "not-sent"
  })
  expect(await sandbox.messages()).toEqual([])
})

it.each([{ token: "" }, { journal: "https://a.example" }, { timeout: -1 }])(
  "names the caller in the stack of what openJournal throws: %j",
  async (wrong) => {
    await using sandbox = await startSandbox()
    const { baseUrl, token } = sandbox
    const aCallerOfTheProgram = () => openJournal({ journal: "memory", baseUrl, token, ...wrong })
    try {
      aCallerOfTheProgram()
      expect.unreachable()
    } catch (error) {
      expect(error instanceof Error && error.stack).toMatch(
        /^ConfigurationError: .*\n +at aCallerOfTheProgram .*Promise\.test/
      )
    }
  }
)

it("a journal that cannot be opened is opened by a later call, once it can be", async () => {
  const { campaigns, folder, sandbox } = await opened()
  const file = join(folder, "journal.db")
  writeFileSync(file, "no journal")
  const { request } = rowOf(0)
  const calls = ["a", "b", "c"].map((key) => campaigns.sendOnce(key, request))
  for (const call of calls) await expect(call).rejects.toMatchObject({ problem: "foreign" })
  await expect(campaigns.resolve({ key: "a" }, "sent")).rejects.toMatchObject({
    problem: "foreign"
  })
  rmSync(file)
  expect(await campaigns.sendOnce("a", request)).toMatchObject({ isEarlier: false })
  expect(await campaigns.sendOnce("a", request)).toMatchObject({ isEarlier: true })
  expect(await sandbox.messages()).toHaveLength(1)
})

it("rejects with the errors of sendMany, of the rows, and of onEvent", async () => {
  const { campaigns } = await opened()
  const wrong = campaigns.sendMany([rowOf(0)], { campaign: "c", concurrency: 0 })
  await expect(wrong).rejects.toMatchObject({ _tag: "InvalidInput", field: "concurrency" })
  const broken = async function* () {
    yield rowOf(0)
    throw new Error("the database is gone")
  }
  await expect(campaigns.sendMany(broken(), { campaign: "c" })).rejects.toThrow("database is gone")
  const throws = () => {
    throw new Error("the log is full")
  }
  for (const [index, onEvent] of [throws, () => Promise.resolve().then(throws)].entries()) {
    const unlogged = campaigns.sendMany([rowOf(index)], { campaign: "c", onEvent })
    await expect(unlogged).rejects.toThrow("log is full")
  }
})

it("an outcome that the journal misses is told on stderr, because a script prints data on stdout", async () => {
  const [stdout, stderr] = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {})
  )
  onTestFinished(() => void vi.restoreAllMocks())
  const journal = join(temporaryFolder(), "journal.db")
  const service = createServer((_, response) => {
    const database = new DatabaseSync(journal)
    database.exec("delete from send")
    database.close()
    response.writeHead(202, { "content-type": "application/json" })
    response.end(JSON.stringify(acceptance))
  })
  await once(service.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void service.close())
  const baseUrl = `http://127.0.0.1:${portOf(service)}`
  await using campaigns = openJournal({ journal, baseUrl, token: "token" })
  await campaigns.sendOnce("k", rowOf(0).request)
  expect(String(stderr?.mock.calls)).toMatch(/is not in the journal.*"outcome": ?"sent"/s)
  expect(stdout).not.toHaveBeenCalled()
})
