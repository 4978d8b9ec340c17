/**
 * Puts single SMS into the queue of pg-boss. Each call enqueues the same keys again.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { PgBoss } from "pg-boss"
import { urlOf } from "../support/Postgres.ts"

const count = 10

const requests: ReadonlyArray<SendSmsRequest> = Array.from({ length: count }, (_, index) => ({
  recipient: `+15559${1000 + index}7`,
  message: `Single ${index}`
}))

export const singles = requests.map(({ message }) => message)

export const enqueueSingles = (database: number) =>
  Effect.promise(async () => {
    const boss = new PgBoss({
      connectionString: urlOf(database),
      supervise: false,
      schedule: false,
      migrate: false
    })
    boss.on("error", () => undefined)
    await boss.start()
    for (const request of requests) await boss.send("sms", { key: request.message, request })
    await boss.stop()
  })
