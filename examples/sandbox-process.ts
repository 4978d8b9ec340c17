/** A sandbox in a process of its own, as `messaging-topup-sandbox --port 0 --json` starts one. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import process, { execPath } from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export interface SandboxProcess {
  /** The one line of JSON that it prints when it listens. */
  readonly started: Promise<string>
  readonly stop: () => void
}

export const startSandbox = (): SandboxProcess => {
  const main = new URL("src/main.ts", import.meta.resolve("@messaging-topup/sandbox/package.json"))
  const child = spawn(execPath, [fileURLToPath(main), "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const stop = () => {
    child.kill()
  }
  process.once("exit", stop)
  return { started: once(createInterface(child.stdout), "line").then(String), stop }
}
