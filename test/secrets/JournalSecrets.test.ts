import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expectNothingShown, observed, suspects } from "../harness/Renderings.ts"
import { isFull } from "../harness/Runs.ts"
import { tryToClaim } from "../harness/journal/conformance/ServerTests.ts"
import { journalFile } from "../harness/TemporaryFolder.ts"
import { dropSchema, noPostgres, startPostgresOfTests } from "../harness/journal/PostgresServer.ts"
import { rewriting } from "../harness/journal/Statements.ts"
import { service } from "../harness/journal/Service.ts"

const sms = { recipient: "+15550107391", message: "Your code is 880153", sender_id: "SHOP77" }
const other = { ...sms, recipient: "+15550107392" }

/** The numbers, the code and the sender, in any of their spellings. */
const words = ["0107391", "0107392", "88015", "SHOP77"]

const personal = new RegExp(words.join("|"))

const expectNothing = expectNothingShown(words)

const services = Layer.merge(layerMemory, service)

/** Sends of all owners, in all states; a key that is a number is stored as a digest. */
const everything = Effect.gen(function* () {
  const journal = yield* SendJournal
  const { setFault } = yield* Sandbox
  yield* journal.sendOnce("k", sms)
  yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
  yield* Effect.flip(journal.sendOnce("lost", sms))
  yield* Effect.flip(journal.sendOnce("refused", { ...sms, recipient: "+15550000400" }))
  const told = { recipient: sms.recipient, message_id: "m", status: `Queued: ${sms.message}` }
  const body = JSON.stringify({ success: true, status: 202, message: "", data: [told] })
  yield* setFault({ fault: "Response", status: 202, body, times: 1 })
  yield* journal.sendOnce("told", sms)
  const again = yield* journal.sendOnce("told", sms)
  expect(again.messages).toEqual([{ message_id: "m", status: "" }])
  yield* journal.sendOnce(sms.recipient, sms)
  yield* journal.sendOnce({ campaign: "c", key: sms.recipient }, sms)
  const key = journal.digest([sms.recipient, sms.message])
  yield* tryToClaim(key, { request: sms })
})

it.effect("a file has neither number nor text of any send, while it is used and after", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    const look = Effect.sync(() =>
      readdirSync(dirname(file)).map((name) => readFileSync(join(dirname(file), name), "latin1"))
    )
    const during = yield* Effect.provide(
      Effect.andThen(everything, look),
      Layer.merge(Sqlite.layer(file), service)
    )
    const texts = [...during, ...(yield* look)]
    expect(texts.length).toBe(3)
    expect(texts[0]).toContain("claimed_at")
    for (const text of texts) expect(text).not.toMatch(personal)
  })
)

it.effect.skipIf(!isFull || noPostgres !== undefined)(
  "a database has neither number nor text of any send",
  () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgresOfTests()),
        (started) => Effect.promise(started.stop)
      )
      const client = PgClient.layer(server.config)
      const rows = Effect.gen(function* () {
        yield* everything
        const sql = yield* PgClient.PgClient
        const tables = ["send", "campaign", "approval", "setting"]
        return yield* Effect.forEach(tables, (name) =>
          sql.unsafe<{ readonly row: string }>(
            `select row_to_json(t)::text as row from messaging_topup_journal.${name} t`
          )
        )
      })
      const journal = Postgres.layer.pipe(
        Layer.provide(Layer.effectDiscard(dropSchema)),
        Layer.provideMerge(client)
      )
      const found = yield* Effect.provide(rows, Layer.merge(journal, service))
      const texts = found.flat().map(({ row }) => row)
      expect(texts.length).toBeGreaterThan(6)
      expect(texts.join()).not.toMatch(personal)
    })
)

it.effect("the digests of two journals differ, and those of one do not", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    const digest = Effect.map(SendJournal, ({ recipientDigest }) => recipientDigest(sms.recipient))
    const first = yield* Effect.provide(digest, Sqlite.layer(file))
    expect(yield* Effect.provide(digest, Layer.fresh(Sqlite.layer(file)))).toBe(first)
    expect(yield* Effect.provide(digest, layerMemory)).not.toBe(first)
    expect(first).toMatch(/^[\w-]{22}$/)
  })
)

it.effect("no error of the journal shows a number or a text, however it is printed", () =>
  Effect.gen(function* () {
    const journal = yield* SendJournal
    const { setFault } = yield* Sandbox
    yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
    yield* Effect.flip(journal.sendOnce("k", sms))
    const errors = [
      yield* Effect.flip(journal.sendOnce({ campaign: "", key: "k" }, other)),
      yield* Effect.flip(journal.sendOnce("", other)),
      yield* Effect.flip(journal.sendOnce("k", sms)),
      yield* Effect.andThen(
        journal.resolve({ key: "k" }, "not-sent"),
        Effect.flip(journal.sendOnce("k", sms))
      ),
      yield* Effect.flip(journal.sendOnce("k", other))
    ]
    expect(errors.map(({ _tag }) => _tag)).toEqual([
      "InvalidInput",
      "InvalidInput",
      "OutcomeUnknown",
      "SendClosed",
      "KeyConflict"
    ])
    for (const error of errors) expectNothing(error)
  }).pipe(Effect.provide(services))
)

it.effect("no error of the database shows the values to store", () =>
  Effect.gen(function* () {
    // Violates a constraint: the text of the database's error must not be passed on.
    const breaking = (sql: string) =>
      sql.replace("select fields.key, fields.attempt", "select null, fields.attempt")
    const send = Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce("k", sms))
    const error = yield* Effect.flip(Effect.provide(rewriting(breaking, send), services))
    expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "other" })
    expectNothing(error)
  })
)

it.effect("spans, logs and metrics of the journal show neither number, text nor key", () =>
  Effect.gen(function* () {
    const { exit, logs, spans, texts } = yield* observed(
      Effect.gen(function* () {
        const { sendOnce } = yield* SendJournal
        const { setFault } = yield* Sandbox
        yield* sendOnce("order-7391", sms)
        yield* Effect.flip(sendOnce("order-7391", other))
        yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
        yield* Effect.flip(sendOnce("order-7392", sms))
        return yield* Effect.flip(sendOnce("order-7392", sms))
      })
    )
    // An error names its key and the place of its journal, so a span that ends with it would export both.
    expect(exit).toMatchObject({ value: { _tag: "OutcomeUnknown", key: "order-7392" } })
    expect(spans.map(({ name }) => name)).toEqual(["sendSms", "sendSms"])
    // A span also keeps the result of its call, which belongs to the caller.
    const shown = Object.entries(texts).filter(([name]) => !/: span( status)?$/.test(name))
    expect(shown.length).toBeGreaterThan(0)
    const hidden = [...words, "order-"]
    expect(suspects(Object.fromEntries(shown), hidden)).toEqual([])
    for (const word of hidden) expect(logs).not.toContain(word)
  }).pipe(Effect.provide(services))
)
