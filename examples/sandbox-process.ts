/** Runs a sandbox in its own process, like `messaging-topup-sandbox --port 0 --json --quiet`. */
import { spawn } from "node:child_process"
import { execPath } from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export interface SandboxProcess {
  /** The line of JSON that it prints when it listens. Undefined if it ended before. */
  readonly started: Promise<string | undefined>
  readonly stop: () => void
}

const lifeline = import.meta.resolve("./sandbox-lifeline.ts")
const main = new URL("src/main.ts", import.meta.resolve("@messaging-topup/sandbox/package.json"))

export const startSandbox = (): SandboxProcess => {
  // At SIGKILL no handler runs, but the system closes the pipe, which ends the sandbox.
  const child = spawn(
    execPath,
    ["--import", lifeline, fileURLToPath(main), "--port", "0", "--json", "--quiet"],
    { stdio: ["pipe", "pipe", "inherit"] }
  )
  const started = new Promise<string | undefined>((resolve) => {
    createInterface(child.stdout).once("line", resolve)
    child.once("error", () => resolve(undefined))
    child.once("close", () => resolve(undefined))
  })
  return { started, stop: () => child.stdin.end() }
}
