/**
 * Runs the quickstart: on a sandbox in a process of its own, or, where `MESSAGING_TOPUP_BASE_URL` and
 * `MESSAGING_TOPUP_TOKEN` are set, on that service. There it asks before it sends.
 */
import { env } from "node:process"
import { startSandbox } from "./sandbox-process.ts"

const hasService =
  env["MESSAGING_TOPUP_BASE_URL"] !== undefined && env["MESSAGING_TOPUP_TOKEN"] !== undefined

// Both take a moment to start: the sandbox does while the client is loaded.
const sandbox = hasService ? undefined : startSandbox()

const [{ runPromise }, { mainJob }] = await Promise.all([
  import("effect/Effect"),
  import("./main-job.ts")
])

await runPromise(mainJob(sandbox))
