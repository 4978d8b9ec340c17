/**
 * The order of the steps in the transaction of a claim. The transaction runs twice, as it does on PostgreSQL after
 * an acknowledgement was lost, and something happens in between.
 */
import { describe, expect, it } from "@effect/vitest"
import { SendJournal, type StoredEnd } from "@messaging-topup/journal/internal"
import type { Database } from "@messaging-topup/journal/src/database/Database.ts"
import { connect } from "@messaging-topup/journal/src/database/SqliteDatabase.ts"
import { layerOf } from "@messaging-topup/journal/src/sends/JournalLayer.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { tryToClaim } from "../harness/journal/conformance/ServerTests.ts"

/** What happens between the first run of a transaction and the second. Undefined: there is no second one. */
let between: Effect.Effect<unknown, unknown, SendJournal> | undefined

const repeating = Effect.gen(function* () {
  const database = yield* connect(undefined, "new")
  const transaction: Database["transaction"] = (body, claims) =>
    Effect.suspend(() => {
      const meanwhile = between
      between = undefined
      const run = database.transaction(body, claims)
      if (meanwhile === undefined) return run
      return Effect.andThen(run, Effect.andThen(Effect.orDie(happening(meanwhile)), run))
    })
  return { ...database, transaction }
})

let journal: typeof SendJournal.Service | undefined

const happening = (meanwhile: NonNullable<typeof between>) =>
  journal === undefined
    ? Effect.die("No journal")
    : Effect.provideService(meanwhile, SendJournal, journal)

const test = <A, E>(
  body: (opened: typeof SendJournal.Service) => Effect.Effect<A, E, SendJournal>
) =>
  Effect.gen(function* () {
    journal = yield* SendJournal
    return yield* body(journal)
  }).pipe(Effect.provide(layerOf(repeating, Effect.void)))

const sent: StoredEnd = { state: "sent", messages: [] }
const approval = { nonce: "n", validFor: Duration.hours(1) }
const maxPerHour = 1

/** Settles or decides about the only send of the journal. */
const later = "1 minute"
const decided = (decision: "sent" | "not-sent" | "resend") =>
  Effect.gen(function* () {
    const { resolve, server } = yield* SendJournal
    yield* TestClock.adjust(later)
    const [send] = yield* server.recent({ limit: 1 })
    expect(yield* resolve({ ids: [send?.id ?? 0] }, decision)).toMatchObject({ changed: 1 })
  })

/** A person approves a second send over one that reads as unknown. */
const overUnknown = Effect.andThen(
  TestClock.adjust(later),
  tryToClaim("k", { asShown: { attempt: 1, state: "unknown", newestTold: 0 } })
)

describe("a claim whose acknowledgement was lost", () => {
  it.effect("is claimed, with its own approval and within its own limit", () =>
    test(({ server }) =>
      Effect.gen(function* () {
        between = Effect.void
        const claimed = yield* tryToClaim("k", { approval, maxPerHour })
        expect(claimed).toMatchObject({ _tag: "Claimed", standing: { state: "free" } })
        // It does not tell of itself.
        expect(claimed).toHaveProperty("earlier", {})
        expect(yield* server.recent({ limit: 9 })).toHaveLength(1)
      })
    )
  )

  it.effect("is still that of its ticket after its time, and its request does not start", () =>
    test(() =>
      Effect.gen(function* () {
        between = TestClock.adjust(later)
        const claimed = yield* tryToClaim("k")
        expect(claimed._tag === "Claimed" && claimed.mayStart()).toBe(false)
        expect(claimed._tag).toBe("Claimed")
      })
    )
  )

  for (const [decision, state] of [
    ["sent", "sent"],
    ["not-sent", "closed"],
    ["resend", "free"]
  ] as const) {
    it.effect(`is told as it stands if a person has decided ${decision} meanwhile`, () =>
      test(() =>
        Effect.gen(function* () {
          between = decided(decision)
          const end = yield* tryToClaim("k", { approval })
          expect(end).toMatchObject({ _tag: "InTheWay", standing: { state, attempt: 1 } })
        })
      )
    )
  }

  for (const [after, meanwhile] of [
    ["a decision", Effect.andThen(decided("resend"), tryToClaim("k"))],
    // Nobody decided about the first one, which is still claimed.
    ["an approval", overUnknown]
  ] as const) {
    it.effect(`is told as it stands if there is a later attempt by ${after}`, () =>
      test(() =>
        Effect.gen(function* () {
          between = meanwhile
          const end = yield* tryToClaim("k")
          expect(end).toMatchObject({
            _tag: "InTheWay",
            standing: { state: "in-flight", attempt: 2 }
          })
        })
      )
    )
  }
})

describe("what is in the way is told before", () => {
  it.effect("an approval is redeemed, so that it holds once it is free", () =>
    test(({ server, settle }) =>
      Effect.gen(function* () {
        const first = yield* tryToClaim("k")
        const guarded = tryToClaim("k", { approval, maxPerHour })
        expect(yield* guarded).toMatchObject({ _tag: "InTheWay" })
        if (first._tag === "Claimed") yield* settle(first.claim, { state: "nothing" })
        expect(yield* guarded).toMatchObject({ _tag: "Claimed" })
        expect(yield* server.redeem(approval, "approved")).toBe("approved")
      })
    )
  )

  it.effect("a limit that is reached", () =>
    test(({ settle }) =>
      Effect.gen(function* () {
        const first = yield* tryToClaim("k", { maxPerHour })
        if (first._tag === "Claimed") yield* settle(first.claim, sent)
        const again = yield* tryToClaim("k", { maxPerHour })
        expect(again).toMatchObject({ _tag: "InTheWay", standing: { state: "sent" } })
      })
    )
  )
})
