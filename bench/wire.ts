/**
 * How many POSTs one failed send causes, and which outcome the client reports.
 */
import * as Schema from "effect/Schema"
import { once } from "node:events"
import { createServer } from "node:net"
import { withServer, withWorkers } from "./child.ts"
import { type ClientName, otherNames } from "./clients.ts"
import { atMost, type Row, row, type Sections } from "./results.ts"

interface Fault {
  readonly name: string
  /** The fault's name for the fault server. Absent if there is no server. */
  readonly path?: string
}

const faults: ReadonlyArray<Fault> = [
  { name: "connection reset after the body", path: "reset" },
  { name: "500", path: "500" },
  { name: "429", path: "429" },
  { name: "no response", path: "silence" },
  { name: "connection refused" }
]

const timeoutMillis = 300

const own: ReadonlyArray<ClientName> = ["core on `/node`", "core `/promise`", "core on `/fetch`"]

const names = [...own, ...otherNames]

/** The URL of a port on which no server listens. */
const refusingUrl = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("There is no port")
  return `http://127.0.0.1:${address.port}`
}

interface Result {
  readonly posts: number
  readonly outcome: string
}

const outcomeOf = Schema.decodeUnknownSync(Schema.String)

const program = new URL("contender.ts", import.meta.url)

/** Makes one send with one client, and counts the POSTs. */
const sendOnce = (name: string, { path }: Fault): Promise<Result> =>
  withServer(new URL("faultServer.ts", import.meta.url), async (url) => {
    if (path !== undefined) await fetch(url, { method: "PUT", body: path })
    const target = path === undefined ? await refusingUrl() : url
    const worker = { name, args: [name, target, String(timeoutMillis)] }
    const outcome = await withWorkers(program, [worker], ([client]) =>
      Promise.resolve(client?.ask("send"))
    )
    const counted = await fetch(url, { method: "OPTIONS" })
    return { outcome: outcomeOf(outcome), posts: Number(await counted.text()) }
  })

const rowOf = async (fault: Fault): Promise<Row> => {
  const results = new Array<Result>()
  for (const name of names) results.push(await sendOnce(name, fault))
  const ours = results.slice(0, own.length)
  return row(
    {
      fault: fault.name,
      outcome: [...new Set(ours.map(({ outcome }) => outcome))].join(" or ")
    },
    {
      ...Object.fromEntries(
        names.map((name, index) => [name, results[index]?.posts ?? Number.NaN])
      ),
      "core, maximum": Math.max(...ours.map(({ posts }) => posts))
    },
    atMost("core, maximum", fault.path === undefined ? 0 : 1)
  )
}

export const wire = async (): Promise<Sections> => {
  const rows = new Array<Row>()
  for (const fault of faults) rows.push(await rowOf(fault))
  const units = Object.fromEntries(
    [...names, "core, maximum"].map((name) => [name, "count"] as const)
  )
  return { wire: { units, rows } }
}
