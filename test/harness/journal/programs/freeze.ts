/** Stops itself inside the transaction of a claim. After SIGCONT, prints how the claim ended. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { configOf } from "../JournalOf.ts"
import { tryToClaim } from "../conformance/ServerTests.ts"

const [, , port = ""] = process.argv

/** Stops the process the first time before the statement that claims. */
const stopping = (client: PgClient.PgClient): PgClient.PgClient => {
  let hasStopped = false
  return Object.assign(Object.create(client), {
    unsafe: (...args: Parameters<PgClient.PgClient["unsafe"]>) => {
      if (!hasStopped && args[0].startsWith("insert into messaging_topup_journal.send")) {
        hasStopped = true
        process.kill(process.pid, "SIGSTOP")
      }
      return client.unsafe(...args)
    }
  })
}

const client = PgClient.layerFrom(Effect.map(PgClient.make(configOf(Number(port))), stopping))

const { _tag } = await tryToClaim("k", { maxPerHour: 9 }).pipe(
  Effect.provide(Postgres.layer.pipe(Layer.provide(client))),
  Effect.runPromise
)
console.log(_tag)
