/** The journal's page says which account a program with Effect sends by. */
import { expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal"
import * as Journal from "@messaging-topup/journal/open"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { folder } from "../harness/TemporaryFolder.ts"

const account = Layer.fresh(Sandbox.layerClient())

const program = Effect.gen(function* () {
  const { sendOnce } = yield* SendJournal
  yield* sendOnce("order-1", { recipient: "+15550100123", message: "Hello" })
  const { messages } = yield* Sandbox
  return (yield* messages()).length
})

it.live("a program that has both sends by its own account, on its own journal", () =>
  Effect.gen(function* () {
    const home = yield* folder
    for (const shop of ["shop", "office"]) {
      const services = Layer.merge(account, Journal.layer(join(home, `${shop}.sqlite`)))
      expect(yield* Effect.provide(program, services)).toBe(1)
    }
  }).pipe(Effect.scoped)
)

it.live("a send goes by the account of its program, whichever account opened the journal", () =>
  Effect.gen(function* () {
    const home = yield* folder
    const shop = Layer.merge(account, Journal.layer(join(home, "shop.sqlite")))
    const office = Layer.provideMerge(account, shop)
    expect(yield* Effect.provide(program, office)).toBe(1)
  }).pipe(Effect.scoped)
)
