/**
 * How many POSTs one failed send causes, and which outcome the client reports.
 */
import { openRespondingUpstream } from "../test/harness/mcp/RespondingUpstream.ts"
import { reply, type Respond, silence } from "../test/harness/ResponseServer.ts"
import { ours } from "./clients.ts"
import { installOthers, others, startClient } from "./contenders.ts"
import { atMost, type Row, type Table } from "./table.ts"

const faults = new Map<string, Respond>([
  ["reset after the body", (_, { socket }) => socket?.resetAndDestroy()],
  ["500", reply(500, {})],
  ["429", reply(429, {})],
  ["no response", silence]
])

const timeoutMillis = 300

const ownNames: ReadonlyArray<string> = Object.values(ours)

/** Sends once with each fault, and counts the POSTs. */
const rowOf = async (name: string): Promise<Row> => {
  await using server = await openRespondingUpstream()
  const { ask, stop } = await startClient(name, server.baseUrl, timeoutMillis)
  const figures = new Array<number>()
  const notes = new Array<string>()
  for (const fault of faults.values()) {
    server.respondWith(fault)
    notes.push(String(await ask("send")))
    figures.push(server.received.length)
  }
  await stop()
  const row = { labels: [name], unit: "", figures }
  return ownNames.includes(name) ? { ...row, target: atMost(1), notes } : row
}

export const wire = async function* (): AsyncGenerator<Table> {
  installOthers()
  const rows = new Array<Row>()
  for (const name of [...ownNames, ...others]) rows.push(await rowOf(name))
  yield { name: "wire", headings: ["client"], measured: [...faults.keys()], rows }
}
