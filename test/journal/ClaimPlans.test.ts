import { layerMemory, SendClaims } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { expect, it } from "vitest"
import { request } from "./support/ClaimRequest.ts"
import { withDatabase } from "./support/OpenedDatabase.ts"
import { statements } from "./support/Statements.ts"

const limits = [
  { scope: "messages", amount: 1, max: 10, per: Duration.hours(1) },
  { scope: "segments", amount: 2, max: 100, per: Duration.days(1) }
]

/** A step that reads all rows of a table, instead of those that an index finds. */
const readsAll = /^SCAN (once|counted|row|approval)\b/

it("no statement of a send reads more rows when more was sent", async () => {
  const [runtime, database] = await withDatabase(async () => {
    const made = ManagedRuntime.make(Layer.fresh(layerMemory))
    await made.runPromise(Effect.service(SendClaims))
    return made
  })
  const send = Effect.gen(function* () {
    const claims = yield* SendClaims
    const wanted = request("k", { limits, approval: { nonce: "n", expiresAt: 1 } })
    yield* claims.look(wanted)
    const result = yield* claims.claim(wanted)
    if (result._tag !== "Claimed") throw new Error(result._tag)
    yield* claims.settle(result.claim, { outcome: "unknown" })
    yield* claims.look(wanted)
    yield* claims.settle(result.claim, { outcome: "not-sent" })
  })
  const ran = await runtime.runPromise(statements(send))
  const plans = ran
    .filter((sql) => /^(select|insert|update|delete)/.test(sql))
    .map((sql) => [
      sql,
      database
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
    ])
  expect(plans.length).toBeGreaterThan(8)
  expect(
    plans.filter(([, plan]) => [plan].flat().some((step) => readsAll.test(step ?? "")))
  ).toEqual([])
  await runtime.dispose()
})
