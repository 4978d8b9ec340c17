/**
 * `node campaign-unknown.ts` lists the unknown rows. `node campaign-unknown.ts resend KEY…` resolves the rows with these keys: the first argument is sent, rejected or resend.
 */
import { Campaign } from "@messaging-topup/campaign"
import type { Decision } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import process, { argv } from "node:process"

const [, , word, ...keys] = argv
const decision = (["sent", "rejected", "resend"] satisfies ReadonlyArray<Decision>).find(
  (each) => each === word
)

const list = Campaign.results("spring-sale", { state: "unknown" }).pipe(
  Stream.runForEach(({ at, info, key }) => Console.log(key, new Date(at).toISOString(), info))
)

const decide = (decided: Decision) =>
  Effect.flatMap(Campaign.resolveUnknown("spring-sale", decided, { keys }), ({ refused, rows }) =>
    Console.log(`${decided}: ${rows}, not yet: ${refused.length}`)
  )

await (decision === undefined ? list : decide(decision)).pipe(
  Effect.provide(Sqlite.layer("journal.db")),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
