/**
 * Prints how many bytes a call allocates, with one line per operation: `allocations.ts <client> <url>`. The
 * young generation must be so large that no garbage is collected during the measurement.
 */
import process, { argv } from "node:process"
import { clients, operations } from "./clients.ts"

const calls = 2000
const [, , name = "", url = ""] = argv

const { gc } = globalThis
if (gc === undefined) throw new Error("It needs --expose-gc")

const client = await clients.get(name)?.(url, 30_000)
if (client === undefined) throw new Error(`There is no client ${name}`)
for (const operation of operations) {
  // Compiled code allocates less than interpreted code, so the first calls do not count.
  await client.run(operation, { calls, workers: 1 })
  gc()
  const before = process.memoryUsage().heapUsed
  await client.run(operation, { calls, workers: 1 })
  console.log((process.memoryUsage().heapUsed - before) / calls)
}
process.exit()
