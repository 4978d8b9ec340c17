/**
 * Prints how many bytes a call allocates, one line for each operation: `allocations.ts <client> <url>`. It
 * runs where the young generation is so large that nothing is collected while it counts.
 */
import process, { argv } from "node:process"
import { makeClient, operations } from "../bench/clients.ts"

const calls = 2000
const [, , name = "", url = ""] = argv

const { gc } = globalThis
if (gc === undefined) throw new Error("It needs --expose-gc")

const client = await makeClient(name, url, 30_000)
for (const operation of operations) {
  // Compiled code allocates less than interpreted: the first calls do not count.
  await client.run(operation, { calls, workers: 1 })
  gc()
  const before = process.memoryUsage().heapUsed
  await client.run(operation, { calls, workers: 1 })
  console.log((process.memoryUsage().heapUsed - before) / calls)
}
process.exit()
