/**
 * Writes `test/journal/versions/<version>.sql`: a journal of this version, with the sends that the test of versions
 * looks at. Run it once when the version of the tables changes, and keep the files of earlier versions:
 * `npx -y pnpm@12 exec node test/harness/journal/programs/makeVersion.ts`.
 */
import { ConnectionLost, MessagingTopup, type SendSmsResponse } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { acceptance } from "../../Contract.ts"
import { journalFile } from "../../TemporaryFolder.ts"
import { tryToClaim } from "../conformance/ServerTests.ts"
import { contentsOf, dumpOf, versionsFolder } from "../Versions.ts"

const sms = { recipient: "+15550101234", message: "Your code is 4711" }

const serviceWith = (end: Effect.Effect<SendSmsResponse, ConnectionLost>) =>
  Layer.mock(MessagingTopup, { timeoutMillis: 30_000, sendSms: () => end })

const accepting = serviceWith(Effect.succeed(acceptance))
const losing = serviceWith(Effect.fail(new ConnectionLost({ operation: "sendSms" })))

/** As of a program, of a list and of a server. */
const sends = Effect.gen(function* () {
  const { campaigns, prune, sendOnce, settle } = yield* SendJournal
  for (const campaign of ["", "c"]) {
    const keyOf = (key: string) => (campaign === "" ? key : { campaign, key })
    yield* Effect.provide(sendOnce(keyOf("sent"), sms), accepting)
    yield* Effect.provide(Effect.flip(sendOnce(keyOf("unknown"), sms)), losing)
  }
  const claimed = yield* tryToClaim("sent", { request: sms })
  const messages = [{ message_id: "m1", status: "QUEUED" }]
  if (claimed._tag === "Claimed") yield* settle(claimed.claim, { outcome: "sent", messages })
  yield* campaigns.begin("pruned")
  yield* prune({ campaign: "pruned" })
})

const program = Effect.gen(function* () {
  const file = yield* journalFile
  yield* Effect.provide(sends, Sqlite.layer(file))
  const name = `${String(contentsOf(file).version)}.sql`
  writeFileSync(join(versionsFolder, name), dumpOf(file))
})

await program.pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
