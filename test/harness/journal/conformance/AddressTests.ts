import { expect } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { sendMany } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

const request = { recipient: "+15550101234", message: "Your code is 4711" }
const facts = { batch: undefined, caller: "ann", segments: 1 }

/** All ways to send, each with the key. */
const sends = (key: string) =>
  Effect.map(SendJournal, ({ campaigns, check, sendOnce, server }) => ({
    key: sendOnce(key, request),
    row: sendOnce({ campaign: "c", key }, request),
    rows: sendMany([{ key, request }], { campaign: "c" }),
    campaign: campaigns.begin("c"),
    server: server.send(
      { send: { key, digest: "r" }, request, facts, others: [] },
      () => Effect.void,
      identity
    ),
    ready: check(true)
  }))

/** Sends as a client of another address would, which is the sandbox all the same. */
const at =
  (address: unknown) =>
  <A, E, R>(use: Effect.Effect<A, E, R>) =>
    Effect.updateService(use, MessagingTopup, (service) => Object.assign({}, service, { address }))

/** How often the service was asked, and what the journal has of all owners. */
const seen = Effect.gen(function* () {
  const { requests } = yield* Sandbox
  const { campaigns, operator } = yield* SendJournal
  const all = yield* operator.list({ isUnknown: false, recipients: undefined })
  return {
    requests: (yield* requests()).length,
    keys: all.map(({ key }) => key),
    campaign: yield* campaigns.find("c")
  }
})

const refusedFor = (address: string) => ({
  _tag: "JournalUnavailable",
  problem: "other-address",
  code: `address ${address}`,
  message: expect.stringContaining(`(address ${address}): its sends went to that address`)
})

export const addressTests = {
  "what was sent to one address says nothing of another one, which is refused before anything is claimed":
    Effect.gen(function* () {
      const { address, prune, resolve, sendOnce } = yield* SendJournal
      yield* at("api.example.com")(address.required)
      expect(yield* address.find).toBeUndefined()
      yield* sendOnce("k", request)
      const before = yield* seen
      for (const each of [
        "api.example.com",
        "api.example.com:8443",
        "localhost.example",
        "sms.invalid",
        "10.0.0.1"
      ]) {
        for (const key of ["k", "new"]) {
          for (const [way, send] of Object.entries(yield* sends(key))) {
            const refused = yield* at(each)(
              Effect.flip<unknown, unknown, MessagingTopup | SendJournal>(send)
            )
            expect(refused, `${way} at ${each}`).toMatchObject(refusedFor("localhost"))
          }
        }
        yield* at(each)(resolve({ key: "k" }, "sent"))
        yield* at(each)(prune({ olderThan: "1 day" }))
      }
      expect(yield* seen).toEqual(before)
      const same = ["127.0.0.1:8080", "localhost", "[::1]:9", "sandbox.invalid"]
      for (const each of [...same, undefined, () => "a mock", "no address"]) {
        expect(yield* at(each)(sendOnce("k", request))).toMatchObject({ isEarlier: true })
      }
      expect(yield* seen).toEqual(before)
    }),

  "another address is accepted once, by a person, and has what was sent to the first one":
    Effect.gen(function* () {
      const { address, sendOnce } = yield* SendJournal
      const first = sendOnce("k", request)
      yield* first
      const moved = at("api.example.com:8443")(first)
      expect(yield* Effect.flip(moved)).toMatchObject(refusedFor("localhost"))
      yield* address.forget
      // Who knows the address does not look it up.
      yield* sendOnce("another", request)
      expect(yield* address.find).toBeUndefined()
      expect(yield* moved).toMatchObject({ isEarlier: true })
      expect(yield* address.find).toBe("api.example.com")
      expect(yield* Effect.flip(first)).toMatchObject(refusedFor("api.example.com"))
    }),

  "of two addresses at once, one is that of the journal": Effect.gen(function* () {
    const { sendOnce } = yield* SendJournal
    const both = ["a.example", "b.example"].map((each) =>
      Effect.result(at(each)(sendOnce(each, request)))
    )
    const ends = yield* Effect.all(both, { concurrency: "unbounded" })
    expect(ends.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
    expect((yield* seen).keys).toHaveLength(1)
  })
}
