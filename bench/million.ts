/**
 * The command with a file of a million rows: its memory, and how long a person waits.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { bounded, temporaryFolder } from "../scripts/support.ts"
import { startServer } from "./child.ts"
import { memoryOf, shareOf } from "./measure.ts"
import { atMost, type Table } from "./table.ts"

const rowCount = shareOf(1_000_000)

const maxResidentMebibytes = 450
const maxSecondsToFirst = 2
const maxSecondsOfNothing = 20

const memoryMillis = 200

const command = join(bounded.cwd, "packages/campaign/src/main.ts")

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
  const child = spawn(process.execPath, [command, ...args], {
    env: {
      PATH: process.env["PATH"],
      MESSAGING_TOPUP_BASE_URL: baseUrl,
      MESSAGING_TOPUP_TOKEN: "token-of-the-benchmark"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  /** When it had compared the file with its journal, and would have asked a person. */
  let plannedAt = Number.NaN
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith('{"event":"Compared"')) plannedAt = Date.now()
  })
  let peakMebibytes = 0
  const look = setInterval(() => {
    // A process that is just ending has no memory.
    const peak = child.exitCode === null ? memoryOf("VmHWM", child.pid ?? 0) : Number.NaN
    if (peak > peakMebibytes) peakMebibytes = peak
  }, memoryMillis)
  const [code] = await once(child, "exit")
  clearInterval(look)
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${String(code)}`)
  return { seconds: (performance.now() - begin) / 1000, peakMebibytes, plannedAt }
}

export const millionRows = async (): Promise<Table> => {
  const folder = temporaryFolder()
  const list = join(folder, "list.csv")
  await writeList(list)
  const args = ["run", list, "--yes", "--journal", `sqlite:${join(folder, "journal.sqlite")}`]
  const server = await startServer()
  const first = await runCommand(args, server.url)
  const again = await runCommand(args, server.url)
  const firstAt = await server.firstAt()
  await server.stop()
  const of = `\`run list.csv\`, ${rowCount.toLocaleString("en")} rows, SQLite`
  return {
    name: "campaign-million",
    headings: ["command", "figure"],
    measured: ["measured"],
    rows: [
      {
        labels: [of, "peak of the resident memory"],
        unit: "MiB",
        target: atMost(maxResidentMebibytes),
        figures: [first.peakMebibytes]
      },
      {
        labels: [of, "from yes to the first SMS"],
        unit: "s",
        target: atMost(maxSecondsToFirst),
        figures: [(firstAt - first.plannedAt) / 1000]
      },
      {
        labels: [of, "again, until it says that there is nothing to send"],
        unit: "s",
        target: atMost(maxSecondsOfNothing),
        figures: [again.seconds]
      }
    ]
  }
}
