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

const runCommand = async (args: ReadonlyArray<string>, baseUrl: string) => {
  const begin = performance.now()
  await using running = startNode(["--import", printMemory, command, ...args], {
    env: { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: "token-of-the-benchmark" }
  })
  await running.until(/^{"event":"Compared"/m)
  /** When it had compared the file with its journal, and would have asked a person. */
  const plannedAt = Date.now()
  const { code, stderr } = await running.ended
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}: ${stderr}`)
  const seconds = (performance.now() - begin) / 1000
  return { seconds, peakMebibytes: memoryIn(stderr, "VmHWM"), plannedAt }
}

export const millionRows = async (): Promise<Table> => {
  const folder = temporaryFolder()
  const list = join(folder, "list.csv")
  await writeList(list)
  const place = ["--journal", join(folder, "journal.sqlite")]
  await runNode([command, "init", "--yes", ...place])
  const args = ["run", list, "--yes", ...place]
  const server = await startServer()
  const first = await runCommand(args, server.url)
  const again = await runCommand(args, server.url)
  const secondsToFirst = ((await server.firstAt()) - first.plannedAt) / 1000
  await server.stop()
  const of = `\`run list.csv\`, ${rowCount.toLocaleString("en")} rows, SQLite`
  const untilNothing = "again, until it says that there is nothing to send"
  return {
    name: "campaign-million",
    headings: [of],
    measured: ["measured"],
    rows: [
      figureRow(["peak of the resident memory"], [first.peakMebibytes], "MiB", atMost(450)),
      figureRow(["from yes to the first SMS"], [secondsToFirst], "s", atMost(2)),
      figureRow([untilNothing], [again.seconds], "s", atMost(25))
    ]
  }
}
