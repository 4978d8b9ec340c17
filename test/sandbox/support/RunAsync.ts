/** Runs a program to its end without blocking this process, which may be its server. */
import { spawn } from "node:child_process"
import { once } from "node:events"

export const runAsync = async (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  }
  await once(child, "close")
  return { code: child.exitCode, output }
}
