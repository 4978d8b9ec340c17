/**
 * `node pg-boss.ts` works on jobs, each of which is one SMS; start it as often as you like. `node pg-boss.ts rows.json`
 * also adds a job for each row of a file: `[{ "key": "order-1", "request": { "recipient": "…", "message": "…" } }]`.
 * Install `pg-boss@12`: npm of an older Node takes an older one.
 */
import { openJournal } from "@messaging-topup/journal/promise"
import type { SendSmsRequest } from "@messaging-topup/core/promise"
import { PgBoss } from "pg-boss"
import { readFile } from "node:fs/promises"
import process, { argv, env, stderr, stdout } from "node:process"

interface Sms {
  readonly key: string
  readonly request: SendSmsRequest
}

const {
  DATABASE_URL: database,
  MESSAGING_TOPUP_BASE_URL: baseUrl,
  MESSAGING_TOPUP_TOKEN: token
} = env
if (!database || !baseUrl || !token)
  throw new Error("set DATABASE_URL, and the service's variables")

// An output that takes nothing, as when its reader ended, must not end it: what is in flight would be unknown.
for (const output of [stdout, stderr]) output.on("error", () => {})

const journal = openJournal({ journal: database, baseUrl, token })
// How often pg-boss looks for jobs of dead workers.
const boss = new PgBoss({
  connectionString: database,
  superviseIntervalSeconds: 5,
  monitorIntervalSeconds: 5
})
boss.on("error", console.error)
await boss.start()
await boss.createQueue("sms", { heartbeatSeconds: 10, retryLimit: 5, retryDelay: 1 })

const [, , file] = argv
if (file !== undefined) {
  const rows: ReadonlyArray<Sms> = JSON.parse(await readFile(file, "utf8"))
  await boss.insert(
    "sms",
    rows.map((data) => ({ data }))
  )
  console.log(`added: ${rows.length}`)
}

// Delivering a job again is safe after every error: its key is sent once. A person looks at the jobs that remain failed.
await boss.work<Sms>(
  "sms",
  { pollingIntervalSeconds: 0.5, localConcurrency: 10 },
  async ([job]) => {
    if (job !== undefined)
      await journal.sendOnce({ campaign: "engine", key: job.data.key }, job.data.request)
  }
)

process.once("SIGTERM", () => void boss.stop().then(() => journal.close()))
