/** `node pg-boss.ts` runs a worker. `node pg-boss.ts spring-sale` also offers the slices of the campaign. */
import { PgBoss } from "pg-boss"
import type { SendSmsRequest } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import process, { argv, env } from "node:process"
import { deliver, type Job, openJobs } from "./job.ts"
import { services } from "./services.ts"

interface Single {
  readonly key: string
  readonly request: SendSmsRequest
}

const runtime = ManagedRuntime.make(services)
// How often pg-boss looks for jobs of dead workers.
const supervision = { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 }
const boss = new PgBoss({ connectionString: env["DATABASE_URL"] ?? "", ...supervision })
boss.on("error", console.error)
await boss.start()

// A slice may take hours, at a low rate or in quiet hours. The heartbeat shows that its worker is alive.
const longJob = { expireInSeconds: 86_400, heartbeatSeconds: 10, retryDelay: 1 }
await boss.createQueue("slice", { policy: "short", ...longJob, retryLimit: 1_000_000 })
await boss.createQueue("sms", { ...longJob, retryLimit: 5, retryBackoff: true })

await boss.work<Job>("slice", async ([job]) => {
  if (job === undefined) return
  const isOver = await runtime.runPromise(deliver(job.data), { signal: job.signal })
  const again = { singletonKey: `slice ${job.data.slice}`, startAfter: 1 }
  if (!isOver) await boss.send("slice", job.data, again)
})

const sendOnce = ({ key, request }: Single) =>
  Effect.flatMap(SendJournal, (journal) => journal.sendOnce(key, request))

// Delivering it again is safe after every error. A person looks at the jobs that remain failed.
await boss.work<Single>("sms", async ([job]) => {
  if (job !== undefined) await runtime.runPromise(sendOnce(job.data), { signal: job.signal })
})

const [, , campaign = ""] = argv
const jobs = await runtime.runPromise(openJobs(campaign))
for (const job of jobs) await boss.send("slice", job, { singletonKey: `slice ${job.slice}` })
console.log(`offered: ${jobs.length} slices`)
process.once("SIGTERM", () => void boss.stop().then(() => runtime.dispose()))
