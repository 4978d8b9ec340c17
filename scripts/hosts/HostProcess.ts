/**
 * Runs a host once, in a home of its own, with a time limit, and ends whatever it started.
 */
import { spawn } from "node:child_process"
import { delimiter, dirname } from "node:path"
import { text } from "node:stream/consumers"

/** With this program's Node first: hosts and the server need a newer one than the system may have. */
export const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter)

export interface Run {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>
}

const limitMillis = 90_000

const running = new Set<number>()

/** Ends the process and those of its group, which may outlive it. */
const end = (pid: number): void => {
  running.delete(pid)
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // All have ended.
  }
}

process.once("exit", () => {
  for (const pid of running) end(pid)
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

/** Returns what it printed, and whether it was ended at the time limit. */
export const runHost = async ({ command, ...run }: Run): Promise<string> => {
  const child = spawn(command, run.args, {
    ...run,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} did not start`)
  running.add(pid)
  const timer = setTimeout(end, limitMillis, pid)
  child.once("exit", () => end(pid))
  const printed = await Promise.all([text(child.stdout), text(child.stderr)])
  clearTimeout(timer)
  return [...printed, child.signalCode ?? ""].join("\n")
}
