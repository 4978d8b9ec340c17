/** `node graphile-worker.ts spring-sale`: a worker, which offers what the campaign still needs. */
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
  // One slice at a time: an attempt has many requests under way already.
  concurrency: 1,
  taskList: {
    slice: async (job, { abortSignal }) => {
      const isOver = await runtime.runPromise(deliver(job), { signal: abortSignal })
      if (!isOver) throw new Error("The slice is not done: deliver it again")
    }
  }
})

// What a worker that is killed had is locked for four hours. So each offers at its start, too: the key
// takes the place of what waits or is locked, and what is finished leaves no key behind.
const jobs = await runtime.runPromise(openJobs(campaign))
for (const job of jobs) await addJob("slice", job, { jobKey: `slice ${job.slice}` })
console.log(`offered: ${jobs.length} slices`)

await promise
await runtime.dispose()
