/**
 * Makes a number of calls at once, in its own process: `manyRun.ts <url> <calls>`.
 */
import { makeClient } from "./clients.ts"
import { timed } from "./measure.ts"

const [url = "", calls = ""] = process.argv.slice(2)
const count = Number(calls)
const client = await makeClient("core on `/node`", url, 120_000)

const run = (workers: number) => client.run("sendSms", { calls: workers, workers })

/** Runs until the JIT compiler has finished. */
for (let round = 0; round < 20; round++) await run(500)

/** A single call is too short to measure. */
const repeats = Math.ceil(1_000 / count)

let sockets = 0
const sampling = setInterval(() => {
  const open = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
  sockets = Math.max(sockets, open)
}, 1)
const before = process.resourceUsage().maxRSS
const { wall } = await timed(async () => {
  for (let repeat = 0; repeat < repeats; repeat++) await run(count)
})
clearInterval(sampling)

process.send?.({
  micros: wall / (count * repeats),
  kibibytes: Math.max(0, process.resourceUsage().maxRSS - before) / count,
  sockets
})
