/**
 * Runs a host once, in a home of its own, with a time limit, and ends whatever it started.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { delimiter, dirname } from "node:path"

/** With this program's Node first: hosts and the server need a newer one than the system may have. */
export const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter)

interface Run {
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

/** Returns what it printed. */
export const runHost = async ({ command, ...run }: Run): Promise<string> => {
  const child = spawn(command, run.args, {
    ...run,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const { pid, stderr, stdout } = child
  if (pid === undefined) throw new Error(`${command} did not start`)
  running.add(pid)
  const printed: Array<string> = []
  for (const stream of [stdout, stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => printed.push(text))
  }
  child.once("exit", () => end(pid))
  await once(child, "close", { signal: AbortSignal.timeout(limitMillis) }).catch(() => {
    printed.push(`\nIt was ended after ${limitMillis / 1000} s.`)
    end(pid)
    // A process outside the group may hold them.
    stdout.destroy()
    stderr.destroy()
  })
  return printed.join("")
}
