/** What goes out is what a call was given, also if the program then uses the object for the next one. */
import { MessagingTopup } from "@messaging-topup/core"
import { createClient } from "@messaging-topup/core/promise"
import { type Row, sendMany, SendJournal } from "@messaging-topup/journal"
import { type Journal, openJournal } from "@messaging-topup/journal/promise"
import { Sandbox } from "@messaging-topup/sandbox"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { rowOf } from "../harness/campaign/Rows.ts"
import * as Services from "../harness/journal/Service.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const given = Array.from({ length: 5 }, (_, index) => rowOf(index))

/** One object that changes for each row. */
const reused = () => ({ key: "", request: { recipient: "", message: "" } })

function* oneByOne(): Generator<Row> {
  const row = reused()
  for (const { key, request } of given) {
    row.key = key
    Object.assign(row.request, request)
    yield row
  }
  Object.assign(row.request, { recipient: "+15550000000", message: "of nobody" })
}

/** Makes a call for each row, with the same object, which is another one before any of them goes on. */
const called = <A>(call: (row: Row) => A): ReadonlyArray<A> => Array.from(oneByOne(), call)

const namesOf = (row: Row) => ({ campaign: "c", key: row.key })

const sorted = (
  messages: ReadonlyArray<{ readonly recipient: string; readonly message: string }>
) => messages.map(({ message, recipient }) => `${recipient} ${message}`).toSorted()

const expected = sorted(given.map(({ request }) => request))

type Client = Pick<Journal, "sendMany" | "sendOnce"> &
  Pick<ReturnType<typeof createClient>, "sendSms">

async function* later(): AsyncGenerator<Row> {
  for (const row of oneByOne()) {
    yield row
    await Promise.resolve()
  }
}

const promised: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  sendSms: (client) => Promise.all(called(({ request }) => client.sendSms(request))),
  sendOnce: (client) => Promise.all(called((row) => client.sendOnce(namesOf(row), row.request))),
  sendMany: (client) => client.sendMany(oneByOne(), { campaign: "c" }),
  "sendMany of rows that come later": (client) => client.sendMany(later(), { campaign: "c" })
}

describe("a promise", () => {
  it.each(Object.entries(promised))("of %s sends what it was given", async (name, send) => {
    await using sandbox = await startSandbox()
    const { baseUrl, token } = sandbox
    await using client = createClient({ baseUrl, token })
    await using journal = openJournal({ journal: "memory", baseUrl, token })
    await send({ ...journal, ...client })
    expect(sorted(await sandbox.messages())).toEqual(expected)
    if (name === "sendSms") return
    for (const { key, request } of given) {
      const again = journal.sendOnce({ campaign: "c", key }, request)
      expect(await again).toMatchObject({ isEarlier: true })
    }
  })
})

it("a decision, and what is forgotten, are as they were at the call", async () => {
  await using sandbox = await startSandbox()
  const { baseUrl, token } = sandbox
  const settings = { journal: join(temporaryFolder(), "journal.db"), baseUrl, token }
  const names = ["a", "b"] as const
  const unknown = rowOf(0, "0500").request
  const { request } = rowOf(0)
  {
    await using journal = openJournal(settings)
    for (const campaign of names) await journal.sendOnce({ campaign, key: "k" }, request)
    for (const key of names) await journal.sendOnce(key, unknown).catch(() => {})
  }
  // The first call of a journal waits until it is open.
  {
    await using journal = openJournal(settings)
    const which = { campaign: "a" }
    const pruned = journal.prune(which)
    which.campaign = "b"
    expect(await pruned).toBe(1)
    expect(await journal.sendOnce({ campaign: "b", key: "k" }, request)).toMatchObject({
      isEarlier: true
    })
  }
  await using journal = openJournal(settings)
  const which = { key: "a" }
  const resolved = journal.resolve(which, "sent")
  which.key = "b"
  expect(await resolved).toMatchObject({ changed: 1 })
  expect(await journal.resolve(which, "sent")).toMatchObject({ changed: 1 })
})

const effects = {
  sendSms: Effect.flatMap(MessagingTopup, ({ sendSms }) =>
    Effect.all(called(({ request }) => sendSms(request)))
  ),
  sendOnce: Effect.flatMap(SendJournal, ({ sendOnce }) =>
    Effect.all(called((row) => sendOnce(namesOf(row), row.request)))
  ),
  sendMany: Effect.suspend(() => sendMany(oneByOne(), { campaign: "c" })),
  "sendMany of a stream": Effect.suspend(() =>
    sendMany(Stream.fromIterable(oneByOne(), { chunkSize: 1 }), { campaign: "c" })
  )
}

describe("an effect", () => {
  it.effect.each(Object.entries(effects))("of %s sends what it was given", ([, send]) =>
    Effect.gen(function* () {
      yield* Effect.asVoid<unknown, unknown, MessagingTopup | SendJournal>(send)
      expect(sorted(yield* (yield* Sandbox).messages())).toEqual(expected)
    }).pipe(Effect.provide(Services.inMemory))
  )
})
