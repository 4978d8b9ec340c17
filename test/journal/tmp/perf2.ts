import { layerMemory, SendJournal, endingOf } from "@messaging-topup/journal"
import { MessagingTopup, endOfSend, OnRequestStart } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { DatabaseSync } from "node:sqlite"
import { rmSync } from "node:fs"
import { createHash, randomUUID } from "node:crypto"
const [, , url = "", mode = "persist+full", n = "30000", kind = "rnd"] = process.argv
if (mode.includes("+")) {
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    return exec.call(
      this,
      sql.replace(
        /journal_mode = \w+; pragma synchronous = \w+/,
        `journal_mode = ${mode.split("+")[0]}; pragma synchronous = ${mode.split("+")[1]}`
      )
    )
  }
}
const count = Number(n)
const file = `/tmp/perf2.db`
for (const e of ["", "-journal", "-wal", "-shm"]) rmSync(file + e, { force: true })
const journal = mode.includes("+")
  ? Sqlite.layer(file)
  : mode === "none" || mode === "memory"
    ? layerMemory
    : (await import("@messaging-topup/journal/postgres")).layerUrl(
        Redacted.make(`postgres://journal@127.0.0.1:${mode}/postgres`)
      )
const service = MessagingTopup.layer({
  baseUrl: url,
  token: Redacted.make("token-of-the-bench")
}).pipe(Layer.provide(NodeTransport.layerOptions({ connections: 50 })))
const rows = Array.from({ length: count }, (_, i) => ({
  key:
    kind === "seq"
      ? String(i).padStart(8, "0")
      : createHash("sha256").update(String(i)).digest("base64url").slice(0, 22),
  sms: { recipient: `+1${5550000000 + i}`, message: `your parcel ${i} is at the door` }
}))
const none = Effect.gen(function* () {
  const { sendSms } = yield* MessagingTopup
  yield* Stream.runDrain(
    Stream.mapEffect(Stream.fromIterable(rows), ({ sms }) => sendSms(sms), {
      concurrency: 50,
      unordered: true
    })
  )
  return 0
})
const keyed = Effect.gen(function* () {
  const { sendSms, timeoutMillis } = yield* MessagingTopup
  const j = yield* SendJournal
  const c = j.campaigns
  const name = "c" + Date.now()
  yield* c.begin(name)
  let ended: Array<any> = [],
    waiting: Array<any> = [],
    inFlight = 0,
    at = 0,
    turns = 0
  let wake: () => void = () => {}
  while (at < count || waiting.length > 0 || inFlight > 0 || ended.length > 0) {
    if (waiting.length === 0 && at < count) {
      const chunk = rows.slice(at, (at += 512)).map((r) => ({
        ...r,
        turn: 0,
        request: j.requestDigest(name + "/" + r.key, r.sms),
        recipient: j.recipientDigest(r.sms.recipient)
      }))
      yield* c.look(name, chunk)
      waiting.push(...chunk)
    }
    if (inFlight > 0) {
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      let before
      do {
        before = ended.length
        yield* Effect.yieldNow
      } while (ended.length > before)
    }
    const claim = waiting.splice(0, 50 - inFlight)
    if (claim.length === 0 && ended.length === 0) {
      yield* Effect.promise(
        () =>
          new Promise<void>((r) => {
            wake = r
          })
      )
      continue
    }
    const settle = ended
    ended = []
    turns++
    const got = yield* c.exchange(name, {
      settle,
      claim: claim.map(({ sms: _, ...r }) => r),
      token: randomUUID(),
      timeoutMillis: timeoutMillis ?? 30000
    })
    for (const { key, sms } of claim) {
      const mine = got.claims.get(key)
      if (mine === undefined) throw new Error("refused")
      inFlight++
      yield* Effect.forkChild(
        Effect.map(
          Effect.provideService(endOfSend(sendSms(sms)), OnRequestStart, got.mayStart),
          (end) => {
            inFlight--
            ended.push({ claim: mine, ending: endingOf(end) })
            wake()
          }
        )
      )
    }
  }
  return turns
})
await Effect.runPromise(
  Effect.gen(function* () {
    const from = performance.now(),
      cpu = process.cpuUsage()
    const turns = yield* mode === "none" ? none : keyed
    const ms = performance.now() - from,
      { user, system } = process.cpuUsage(cpu)
    console.log(
      mode.padEnd(14),
      Math.round((count / ms) * 1000),
      "rows/s",
      ((ms / count) * 1000).toFixed(1),
      "µs/row, cpu",
      ((user + system) / count).toFixed(1),
      "turns",
      turns
    )
  }).pipe(Effect.provide(Layer.merge(journal, service)))
)
