/**
 * Shows an assistant at work with the MCP server, and then the quickstart, on a sandbox in a process
 * of its own. Where `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN` are set, it runs the
 * quickstart alone, on that service, and asks before it sends.
 *
 * With `--stay`, the sandbox and its inbox stay open at the end.
 */
import process, { argv, env, exit, stdout } from "node:process"
import { buildInbox } from "./sandbox/inbox.ts"
import { startSandbox } from "./sandbox-process.ts"

const stay = argv.includes("--stay")
const settings = ["MESSAGING_TOPUP_BASE_URL", "MESSAGING_TOPUP_TOKEN"]
const missing = settings.filter((name) => (env[name] ?? "") === "")

if (missing.length === 1) {
  console.error(`${missing.join()} is not set: set both for your service, neither for the sandbox`)
  process.exitCode = 1
} else {
  // Both take a moment to start: the sandbox does while the client is loaded.
  const sandbox = missing.length === 0 ? undefined : startSandbox()

  // Whoever closes the pipe has read enough. A real send is not cut off for it.
  stdout.on("error", () => {
    if (sandbox !== undefined) exit()
  })

  const [{ runPromise }, { mainJob }] = await Promise.all([
    import("effect/Effect"),
    import("./main-job.ts")
  ])

  if (stay) await buildInbox()
  await runPromise(mainJob(sandbox, stay))
}
