import { layerMemory, SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { rmSync } from "node:fs"
const service = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provideMerge(Sandbox.layerInProcess()))
const sms = { recipient: "+233200000001", message: "Hello" }
const program = Effect.gen(function* () {
  const j = yield* SendJournal
  console.log(yield* j.sendOnce("k", sms))
  console.log(yield* j.sendOnce("k", sms))
  console.log((yield* Effect.flip(j.sendOnce("k", { ...sms, message: "x" })))._tag)
  const c = j.campaigns
  yield* c.begin("c/1")
  const rows = ["a", "b", "d"].map((key) => ({ key, turn: 0, request: "r", recipient: "n" + key }))
  console.log(yield* c.look("c/1", rows))
  const got = yield* c.exchange("c/1", {
    settle: [],
    claim: rows,
    token: "t",
    timeoutMillis: 30000
  })
  console.log(got, got.mayStart())
  const a = got.claims.get("a")!,
    b = got.claims.get("b")!
  yield* c.exchange("c/1", {
    settle: [
      { claim: a, ending: { outcome: "sent", messages: [{ message_id: "m", status: "Q" }] } },
      { claim: b, ending: { outcome: "rejected", reason: "InvalidRequest 400" } }
    ],
    claim: [],
    token: "t2",
    timeoutMillis: 3
  })
  console.log(yield* c.look("c/1", rows))
  console.log(
    yield* c.counts("c/1"),
    yield* c.outcomes("c/1", { widthMillis: 60000, offsetMillis: 0 }),
    yield* c.reasons("c/1")
  )
  console.log(
    yield* c.recipients("c/1", { limit: 2 }),
    yield* c.sends("c/1", { states: ["rejected"], limit: 9 })
  )
  console.log(
    yield* c.reserve({ name: "x", amount: 50, perSecond: 100 }),
    yield* c.reserve({ name: "x", amount: 50, perSecond: 100 })
  )
  const request = {
    key: "dig",
    request: "r",
    caller: "me",
    segments: 2,
    recipient: "rr",
    sentCountsFor: Duration.minutes(10),
    unknownCountsFor: Duration.days(1),
    again: false,
    limits: [{ counts: "recipients", of: "caller", max: 1, per: Duration.hours(1) }] as const,
    timeoutMillis: 30000
  }
  const r = yield* j.server.claim(request)
  console.log(r)
  console.log(yield* j.server.claim(request))
  console.log(yield* j.server.claim({ ...request, key: "2", recipient: "oo" }))
  if (r._tag === "Claimed") console.log(yield* j.settle(r.claim, { outcome: "sent", messages: [] }))
  console.log(yield* j.server.recent({ limit: 9 }), yield* j.server.count({}))
  console.log(
    yield* c.prune({ olderThan: Duration.zero, unknown: false }),
    yield* c.prune({ olderThan: Duration.zero, unknown: true }),
    yield* j.server.prune({ olderThan: Duration.zero, unknown: true })
  )
  yield* j.check
})
rmSync("/tmp/smoke.db", { force: true })
const pg = process.argv[3]
const journal =
  process.argv[2] === "file"
    ? Sqlite.layer("/tmp/smoke.db")
    : pg
      ? (await import("@messaging-topup/journal/postgres")).layerUrl(
          Redacted.make(`postgres://journal@127.0.0.1:${pg}/postgres`)
        )
      : layerMemory
await Effect.runPromise(Effect.provide(program, Layer.merge(journal, service)))
