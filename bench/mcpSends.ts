/**
 * Sends over HTTP through our MCP server, with many clients at once, to a service that responds immediately.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { withServer } from "./child.ts"
import { mostClients, startServer, withClients } from "./mcpClients.ts"
import { ours } from "./mcpServers.ts"
import { type Cost, median, processorOf, timed } from "./measure.ts"
import { atLeast, atMost, type Row, row, type Section } from "./results.ts"

const countOfParts = 10
const sendsInPart = 5_000
const maxGrowth = 1.2

/** How many of them a second, by state. */
const minRates = { memory: 1_500, file: 800 }

const unlimited = ["--max-sends-per-hour", "1000000", "--max-segments-per-day", "1000000"]

export const sendsOverHttp = (file: string): Promise<Section> =>
  withServer(new URL("server.ts", import.meta.url), async (service) => {
    const rows = new Array<Row>()
    for (const state of ["memory", "file"] as const) {
      const folder = mkdtempSync(join(tmpdir(), "bench-sends-"))
      const stored = state === "memory" ? state : `sqlite:${folder}/sends.sqlite`
      const server = await startServer(ours, file, {
        options: ["--confirm", "off", "--allow-recipients", "*", "--state", stored, ...unlimited],
        variables: { MESSAGING_TOPUP_BASE_URL: service }
      })
      let sent = 0
      const paramsOf = () => ({
        name: "send_sms",
        arguments: { recipient: "+15550100", message: `Your code is ${++sent}` }
      })
      const contest = {
        clients: mostClients,
        era: "2026-07-28",
        paramsOf,
        fact: '"sent_by_this_call":true'
      } as const
      try {
        const parts = await withClients(server, contest, async (work) => {
          const costs = new Array<Cost>()
          for (let part = 0; part < countOfParts; part++) {
            const run = () => work(sendsInPart)
            costs.push(await timed(run, () => processorOf(server.pid)))
          }
          return costs
        })
        const of = (cost: keyof Cost) => parts.map((part) => part[cost] / sendsInPart)
        const [, second = 0, ...later] = of("processor")
        rows.push(
          row(
            { state },
            {
              rate: 1_000_000 / median(of("wall")),
              processor: median(of("processor")),
              growth: (later.at(-1) ?? 0) / second
            },
            atLeast("rate", minRates[state]),
            atMost("growth", maxGrowth)
          )
        )
      } finally {
        await server.stop()
        rmSync(folder, { recursive: true })
      }
    }
    return { units: { rate: "sends per second", processor: "µs", growth: "×" }, rows }
  })
