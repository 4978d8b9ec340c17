/** Stops itself inside the transaction of `begin`. After SIGCONT, prints the epoch of its attempt. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { SendJournal } from "@messaging-topup/journal"
import * as Postgres from "@messaging-topup/journal/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const [, , port = "", slice = ""] = process.argv

/** Stops the process the first time before the statement that marks rows as unknown. */
const stopping = (client: PgClient.PgClient): PgClient.PgClient => {
  let hasStopped = false
  return Object.assign(Object.create(client), {
    unsafe: (...args: Parameters<PgClient.PgClient["unsafe"]>) => {
      if (!hasStopped && args[0].includes("'unknown'")) {
        hasStopped = true
        process.kill(process.pid, "SIGSTOP")
      }
      return client.unsafe(...args)
    }
  })
}

const client = PgClient.layerFrom(
  Effect.map(
    PgClient.make({
      host: "127.0.0.1",
      port: Number(port),
      username: "journal",
      database: "postgres"
    }),
    stopping
  )
)

const { attempt } = await Effect.flatMap(SendJournal, ({ begin }) => begin(Number(slice))).pipe(
  Effect.retry({ times: 1 }),
  Effect.provide(Postgres.layer.pipe(Layer.provide(client))),
  Effect.runPromise
)
console.log(attempt.epoch)
