/**
 * What one send puts on the wire when something goes wrong, and what the caller is told.
 */
import * as Schema from "effect/Schema"
import { once } from "node:events"
import { createServer } from "node:net"
import { withServer, withWorker } from "./child.ts"
import { type ClientName, otherNames } from "./clients.ts"
import { type Row, type Section, targetColumns, verdict } from "./report.ts"

interface Fault {
  readonly name: string
  /** What the fault server is told; absent where no server is. */
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

/** The URL of a port that nobody listens on. */
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

/** One send of one client, and how many POSTs came of it. */
const sendOnce = (name: string, { path }: Fault): Promise<Result> =>
  withServer(new URL("faultServer.ts", import.meta.url), async (url) => {
    if (path !== undefined) await fetch(url, { method: "PUT", body: path })
    const target = path === undefined ? await refusingUrl() : url
    const outcome = await withWorker(program, [name, target, String(timeoutMillis)], (worker) =>
      worker.ask("send")
    )
    const counted = await fetch(url, { method: "OPTIONS" })
    return { outcome: outcomeOf(outcome), posts: Number(await counted.text()) }
  })

const rowOf = async (fault: Fault): Promise<Row> => {
  const results = new Array<Result>()
  for (const name of names) results.push(await sendOnce(name, fault))
  const ours = results.slice(0, own.length)
  const most = fault.path === undefined ? 0 : 1
  return [
    fault.name,
    ...results.map(({ posts }) => String(posts)),
    [...new Set(ours.map(({ outcome }) => outcome))].join(" or "),
    ...verdict({
      text: fault.path === undefined ? "0" : `≤ ${most}`,
      isMet: ours.every(({ posts }) => posts <= most)
    })
  ]
}

export const wire = async (): Promise<Section> => {
  const rows = new Array<Row>()
  for (const fault of faults) rows.push(await rowOf(fault))
  return {
    title: "A send that fails",
    text: `How many POSTs a server counts for one call that sends, each client with its own defaults and a time-out
of ${timeoutMillis} ms, and what \`sendOutcome\` says of ours. The others have no word on the outcome. A connection is refused
where no server is: nothing can be counted there. stripe sends an idempotency key with its POSTs, so that its
service can tell a repetition; the service that this project is for has none.`,
    columns: ["fault", ...names, "outcome", ...targetColumns],
    rows
  }
}
