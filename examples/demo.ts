/**
 * Shows an assistant that uses the MCP server, then the quickstart, then a campaign. They use a sandbox in
 * its own process. If `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN` are set, the demo runs only
 * the quickstart, on that service, and asks before it sends.
 *
 * With `--stay`, the sandbox and its inbox stay open at the end.
 */
import process, { argv, env, exit, stdout } from "node:process"
import { startSandbox } from "./sandbox-process.ts"

const stay = argv.includes("--stay")
const settings = ["MESSAGING_TOPUP_BASE_URL", "MESSAGING_TOPUP_TOKEN"]
const missing = settings.filter((name) => (env[name] ?? "") === "")

if (missing.length === 1) {
  console.error(`${missing.join()} is not set: set both for your service, neither for the sandbox`)
  process.exitCode = 1
} else {
  // The sandbox starts while the client loads, because both take a moment.
  const sandbox = missing.length === 0 ? undefined : startSandbox()

  // A reader that closes the pipe ends the demo. A real send is not interrupted.
  stdout.on("error", () => {
    if (sandbox !== undefined) exit()
  })

  const [{ runPromise }, { mainJob }] = await Promise.all([
    import("effect/Effect"),
    import("./main-job.ts")
  ])

  await runPromise(mainJob(sandbox, stay))
}
