/**
 * How many POSTs one failed send causes, and which outcome the client reports.
 */
import { setTimeout } from "node:timers/promises"
import { openRespondingUpstream } from "../test/harness/mcp/RespondingUpstream.ts"
import { reply, type Respond, silence } from "../test/harness/ResponseServer.ts"
import { ours } from "./clients.ts"
import { clients, type Other } from "./comparison/clients.js"
import { installOthers, others, startClient, withVersion } from "./contenders.ts"
import { atMost, figureCell, joinAlike, type Row, type Table } from "./table.ts"

/** Axios is a client that somebody writes for this service. */
const { axios: ourService } = clients

const respond = ({ type = "application/json" }: Other, status: number, body: object | string) =>
  reply(status, body, { "content-type": type })

const faults = new Map<string, (other: Other) => Respond>([
  [
    "reset after the body",
    () =>
      (_, { socket }) =>
        socket?.resetAndDestroy()
  ],
  ["500", (other) => respond(other, 500, other.failed(500))],
  ["429", (other) => respond(other, 429, other.failed(429))],
  ["no response", () => silence]
])

const timeoutMillis = 300

/** Longer than any client takes that has a time-out, with all that it sends again. */
const patienceMillis = 10_000

const ownNames: ReadonlyArray<string> = Object.values(ours)

/** Sends once with each fault, and counts the POSTs at the server. */
const rowOf = async (name: string): Promise<Row> => {
  const isOurs = ownNames.includes(name)
  const service = clients[name] ?? ourService
  if (service === undefined) throw new Error(`There is no service for ${name}`)
  const target = isOurs ? atMost(1) : undefined
  await using server = await openRespondingUpstream()
  const { ask, stop } = await startClient(name, server.baseUrl, timeoutMillis)
  /** What it says, and how many POSTs came. */
  const send = async (response: Respond) => {
    server.respondWith(response)
    const said = await Promise.race([
      ask("send"),
      setTimeout(patienceMillis, "waits on", { ref: false })
    ])
    const posts = server.received.filter(({ method }) => method === "POST").length
    return { said: String(said), posts }
  }
  const { posts, said } = await send(respond(service, service.status, service.accepted))
  // A response that it cannot read would count as a fault.
  if (said !== "sent" || posts !== 1) throw new Error(`${name} cannot read an acceptance`)
  const cells = new Array<string>()
  for (const fault of faults.values()) {
    const end = await send(fault(service))
    cells.push(figureCell(end.posts, "", target, end.said))
  }
  await stop()
  // Only ours have a target, so a column would be empty. A figure that misses it says so.
  return { labels: [withVersion(name)], target: "", cells }
}

export const wire = async function* (): AsyncGenerator<Table> {
  installOthers()
  const rows = new Array<Row>()
  for (const name of [...ownNames, ...others]) rows.push(await rowOf(name))
  yield {
    name: "wire",
    headings: ["client"],
    measured: [...faults.keys()],
    rows: joinAlike(rows)
  }
}
