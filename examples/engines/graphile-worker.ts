/**
 * `node graphile-worker.ts spring-sale` runs a worker, which also offers the open slices of the
 * campaign.
 */
import { run } from "graphile-worker"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { argv, env } from "node:process"
import { deliver, type Job, openJobs } from "./job.ts"
import { services } from "./services.ts"

declare global {
  namespace GraphileWorker {
    interface Tasks {
      slice: Job
    }
  }
}

const [, , campaign = ""] = argv
const runtime = ManagedRuntime.make(services)

const { addJob, promise } = await run({
  connectionString: env["DATABASE_URL"] ?? "",
  // One slice at a time, because one attempt already has many requests in flight.
  concurrency: 1,
  taskList: {
    slice: async (job, { abortSignal, addJob: addAgain }) => {
      const isOver = await runtime.runPromise(deliver(job), { signal: abortSignal })
      const inASecond = new Date(Date.now() + 1_000)
      if (!isOver) await addAgain("slice", job, { jobKey: `slice ${job.slice}`, runAt: inASecond })
    }
  }
})

// The jobs of a killed worker stay locked for four hours, so each worker offers all open slices when it
// starts. A job replaces a waiting or locked job with the same key. A finished job leaves no key.
const jobs = await runtime.runPromise(openJobs(campaign))
for (const job of jobs) await addJob("slice", job, { jobKey: `slice ${job.slice}` })
console.log(`offered: ${jobs.length} slices`)

await promise
await runtime.dispose()
