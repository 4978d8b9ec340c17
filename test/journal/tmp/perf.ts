import { layerMemory, SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { DatabaseSync } from "node:sqlite"
import { rmSync, statSync } from "node:fs"
import { createHash } from "node:crypto"
const [, , place = "", kind = "seq", mode = "truncate", n = "50000", dir = "/tmp"] = process.argv
if (mode !== "truncate") {
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    return exec.call(
      this,
      sql.replace(
        "journal_mode = truncate; pragma synchronous = full",
        `journal_mode = ${mode.split("+")[0]}; pragma synchronous = ${mode.split("+")[1] ?? "full"}`
      )
    )
  }
}
const count = Number(n)
const file = `${dir}/perf.db`
for (const e of ["", "-journal", "-wal", "-shm"]) rmSync(file + e, { force: true })
const journal =
  place === "file"
    ? Sqlite.layer(file)
    : place === "memory"
      ? layerMemory
      : (await import("@messaging-topup/journal/postgres")).layerUrl(
          Redacted.make(`postgres://journal@127.0.0.1:${place}/postgres`)
        )
const sms = { recipient: "+233200000001", message: "Hello" }
const campaign = Effect.gen(function* () {
  const j = yield* SendJournal
  const c = j.campaigns
  const name = "c" + Date.now()
  yield* c.begin(name)
  const rows = Array.from({ length: count }, (_, i) => ({
    key:
      kind === "seq"
        ? String(i)
        : createHash("sha256").update(String(i)).digest("base64url").slice(0, 22),
    request: "",
    turn: 0,
    recipient: ""
  }))
  const from = performance.now()
  let settle: Array<any> = []
  let turns = 0,
    worst = 0
  const cpu = process.cpuUsage()
  for (let at = 0; at < count; at += 512) {
    const chunk = rows.slice(at, at + 512).map((row, i) => ({
      ...row,
      request: j.requestDigest(row.key, sms),
      recipient: j.recipientDigest("+2332" + (at + i))
    }))
    yield* c.look(name, chunk)
    for (let s = 0; s < chunk.length; s += 50) {
      const claim = chunk.slice(s, s + 50)
      const t = performance.now()
      const got = yield* c.exchange(name, {
        settle,
        claim,
        token: `t${turns++}aaaaaaaaaaaaaaaa`,
        timeoutMillis: 30000
      })
      worst = Math.max(worst, performance.now() - t)
      settle = [...got.claims.values()].map((claim) => ({
        claim,
        ending: {
          outcome: "sent",
          messages: [{ message_id: "sbx-1-" + claim.key, status: "QUEUED" }]
        }
      }))
    }
  }
  const ms = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  const t2 = performance.now()
  const counts = yield* c.counts(name)
  console.log(
    place,
    kind,
    mode,
    Math.round((count / ms) * 1000),
    "rows/s",
    "µs/row",
    ((ms / count) * 1000).toFixed(1),
    "cpu",
    ((user + system) / count).toFixed(1),
    "turns",
    turns,
    "ms/turn",
    (ms / turns).toFixed(2),
    "worst",
    worst.toFixed(0),
    "counts ms",
    (performance.now() - t2).toFixed(0),
    place === "file" ? statSync(file).size / count : ""
  )
})
const server = Effect.gen(function* () {
  const j = yield* SendJournal
  const from = performance.now()
  let worst = 0
  yield* Effect.forEach(
    Array.from({ length: count }, (_, i) => i),
    (i) =>
      Effect.gen(function* () {
        const t = performance.now()
        const key = j.digest(["x", String(i), String(from)])
        const look = yield* j.server.look([{ key, request: key }])
        const r = yield* j.server.claim({
          key,
          request: key,
          caller: "me",
          segments: 1,
          recipient: j.recipientDigest(String(i)),
          sentCountsFor: Duration.minutes(10),
          unknownCountsFor: Duration.days(1),
          again: false,
          limits: [
            { counts: "messages", of: "everyone", max: 1000000, per: Duration.hours(1) },
            { counts: "segments", of: "everyone", max: 1000000, per: Duration.days(1) }
          ],
          timeoutMillis: 30000
        })
        if (r._tag === "Claimed")
          yield* j.settle(r.claim, {
            outcome: "sent",
            messages: [{ message_id: "sbx-1-tyu", status: "QUEUED" }]
          })
        worst = Math.max(worst, performance.now() - t)
      }),
    { concurrency: 64 }
  )
  const ms = performance.now() - from
  console.log(
    "server",
    place,
    mode,
    Math.round((count / ms) * 1000),
    "sends/s, worst",
    worst.toFixed(0)
  )
})
await Effect.runPromise(Effect.provide(kind === "server" ? server : campaign, journal))
