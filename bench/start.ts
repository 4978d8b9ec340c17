/**
 * What an import of core costs a fresh process.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { bundlePromiseClient } from "../packages/core/bundle/PromiseClient.ts"
import { compileCore } from "./compiled.ts"
import { alternate, median, timed, timingOf } from "./measure.ts"
import { atMost, type Row, type Section, targetColumns, verdict } from "./report.ts"

const printMemory = "process.stdout.write(String(process.memoryUsage.rss()))"

/** Runs Node with these modules loaded first, and returns its resident memory in bytes. */
const runNode = async (modules: ReadonlyArray<URL>): Promise<number> => {
  const child = spawn(
    process.execPath,
    [...modules.flatMap(({ href }) => ["--import", href]), "-e", printMemory],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")])
  if (code !== 0) throw new Error(`Node ended with ${String(code)}`)
  return Number(output)
}

const bare = "(`node -e`)"
const promise = "`@messaging-topup/core/promise`"

const maxPromiseMillis = 60

const fresh = (name: string, modules: ReadonlyArray<URL>) => {
  const memory = new Array<number>()
  return { name, memory, run: () => timed(async () => memory.push(await runNode(modules))) }
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

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
  return processes.map(({ memory, name }) => [
    name,
    (median(timingOf(timings, name).micros) / 1000).toFixed(0),
    name === bare ? "" : millisOver(name).toFixed(0),
    mebibytes(median(memory)),
    ...(name === promise
      ? verdict(atMost(maxPromiseMillis, millisOver(name), (limit) => `${limit} ms over`))
      : verdict())
  ])
}

export const start = async (): Promise<Section> => ({
  title: "Start",
  text: `A fresh process from its start to its end, with nothing to do but an import of core as it is
published (JavaScript), and the memory that is resident then. \`/promise\` is one file; the others load Effect
module by module.`,
  columns: ["import", "ms", "over `node -e`, ms", "resident, MiB", ...targetColumns],
  rows: await rows()
})
