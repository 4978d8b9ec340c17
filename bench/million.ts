/**
 * The command with a file of a million rows: its memory, and how long a person waits.
 */
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { bounded, temporaryFolder } from "../scripts/support.ts"
import { runNode, startNode } from "../test/harness/Process.ts"
import { startServer } from "./child.ts"
import { memoryIn, shareOf } from "./measure.ts"
import { atMost, figureRow, type Table } from "./table.ts"

const rowCount = shareOf(1_000_000)

/** The command's file. */
export const command = join(bounded.cwd, "packages/cli/src/main.ts")

/** A module that prints the memory of its process when it ends. */
const printMemory = `data:text/javascript,import { readFileSync } from "node:fs";
  process.on("exit", () => process.stderr.write(readFileSync("/proc/self/status")))`

const writeList = (file: string): Promise<void> => {
  const lines = function* () {
    yield "recipient,message\n"
    for (let index = 0; index < rowCount; index++)
      yield `+1555${1_000_000 + index},Hello ${index}\n`
  }
  return pipeline(Readable.from(lines()), createWriteStream(file))
}

const secondsSince = (begin: number): number => (performance.now() - begin) / 1000

/** Runs the command, and says how long it took. `planned` is called when it would ask a person. */
const runCommand = async (
  args: ReadonlyArray<string>,
  baseUrl: string,
  planned?: (seconds: number) => void
) => {
  const begin = performance.now()
  await using running = startNode(["--import", printMemory, command, ...args], {
    env: { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: "token-of-the-benchmark" }
  })
  if (planned !== undefined) {
    await running.until(/^{"event":"Compared"/m)
    planned(secondsSince(begin))
  }
  const { code, stderr } = await running.ended
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}: ${stderr}`)
  return { seconds: secondsSince(begin), peakMebibytes: memoryIn(stderr, "VmHWM") }
}

export const million = async function* (): AsyncGenerator<Table> {
  const folder = temporaryFolder()
  const list = join(folder, "list.csv")
  await writeList(list)
  const place = ["--journal", join(folder, "journal.sqlite")]
  await runNode([command, "init", "--yes", ...place])
  const args = ["run", list, "--yes", ...place]
  const server = await startServer()
  let [secondsToAsk, askedAt] = [Number.NaN, Number.NaN]
  const first = await runCommand(args, server.url, (seconds) => {
    secondsToAsk = seconds
    askedAt = Date.now()
  })
  const again = await runCommand(args, server.url)
  const out = ["--out", join(folder, "results.csv")]
  const results = await runCommand(["results", list, ...out, ...place], server.url)
  const secondsToFirst = ((await server.firstAt()) - askedAt) / 1000
  await server.stop()
  const of = `\`run list.csv\`, ${rowCount.toLocaleString("en")} rows, SQLite`
  const untilNothing = "again, until it says that there is nothing to send"
  yield {
    name: "million",
    headings: [of],
    measured: ["measured"],
    rows: [
      figureRow(["peak of the resident memory"], [first.peakMebibytes], "MiB", atMost(550)),
      figureRow(["until it asks a person"], [secondsToAsk], "s", atMost(25)),
      figureRow(["from yes to the first SMS"], [secondsToFirst], "s", atMost(2)),
      figureRow([untilNothing], [again.seconds], "s", atMost(25)),
      figureRow(["`results --out results.csv`"], [results.seconds], "s", atMost(60))
    ]
  }
}
