/**
 * The time and the memory of an import of core in a fresh process.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { bundlePromiseClient } from "../packages/core/bundle/PromiseClient.ts"
import { compileCore } from "./compiled.ts"
import { alternate, median, timed, timingOf } from "./measure.ts"
import type { Row, Sections } from "./report/results.ts"
import { atMost, row } from "./report/rows.ts"

const printMemory = "process.stdout.write(String(process.memoryUsage.rss()))"

/** Runs a fresh Node process, and returns its output. */
export const runNode = async (args: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")])
  if (code !== 0) throw new Error(`Node ended with ${String(code)}`)
  return output
}

/** Runs Node with these modules loaded first, and returns its resident memory in bytes. */
const residentWith = async (modules: ReadonlyArray<URL>): Promise<number> => {
  const imports = modules.flatMap(({ href }) => ["--import", href])
  return Number(await runNode([...imports, "-e", printMemory], import.meta.dirname))
}

const bare = "(`node -e`)"
const promise = "`@messaging-topup/core/promise`"

const maxPromiseMillis = 60

const fresh = (name: string, modules: ReadonlyArray<URL>) => {
  const memory = new Array<number>()
  return { name, memory, run: () => timed(async () => memory.push(await residentWith(modules))) }
}

const rows = async (): Promise<ReadonlyArray<Row>> => {
  const compiled = await compileCore()
  await bundlePromiseClient(fileURLToPath(new URL("promise/", compiled)))
  const processes = [
    fresh(bare, []),
    fresh("`@messaging-topup/core`", [new URL("index.js", compiled)]),
    fresh("`@messaging-topup/core/node`", [new URL("NodeTransport.js", compiled)]),
    fresh("both", [new URL("index.js", compiled), new URL("NodeTransport.js", compiled)]),
    fresh(promise, [new URL("promise/Node.js", compiled)])
  ]
  const timings = await alternate(processes, { warmUpRounds: 1 })
  const millisOver = (name: string) =>
    median(
      timingOf(timings, name).micros.map(
        (micros, round) => (micros - (timingOf(timings, bare).micros[round] ?? 0)) / 1000
      )
    )
  return processes.map(({ memory, name }) =>
    row(
      { import: name },
      {
        time: median(timingOf(timings, name).micros) / 1000,
        ...(name === bare ? {} : { over: millisOver(name) }),
        resident: median(memory) / 2 ** 20
      },
      ...(name === promise ? [atMost("over", maxPromiseMillis)] : [])
    )
  )
}

export const start = async (): Promise<Sections> => ({
  start: {
    units: { time: "ms", over: "ms", resident: "MiB" },
    rows: await rows()
  }
})
