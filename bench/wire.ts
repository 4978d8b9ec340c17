/**
 * How many POSTs one failed send causes, and which outcome the client reports.
 */
import type { ServerResponse } from "node:http"
import { ours } from "./clients.ts"
import { installOthers, others, startClient } from "./contenders.ts"
import { withLoopback } from "./loopback.ts"
import { atMost, type Row, type Table } from "./table.ts"

const status = (code: number) => (response: ServerResponse) => {
  response.writeHead(code, { "content-type": "application/json" }).end("{}")
}

const faults = new Map<string, (response: ServerResponse) => void>([
  ["reset after the body", ({ socket }) => socket?.resetAndDestroy()],
  ["500", status(500)],
  ["429", status(429)],
  ["no response", () => undefined]
])

const timeoutMillis = 300

const ownNames: ReadonlyArray<string> = Object.values(ours)

/** Sends once with each fault, and counts the POSTs. */
const rowOf = (name: string): Promise<Row> => {
  let respond = status(500)
  let posts = 0
  const count = (response: ServerResponse) => {
    posts++
    respond(response)
  }
  return withLoopback(count, async (url) => {
    const { ask, stop } = await startClient(name, url, timeoutMillis)
    const figures = new Array<number>()
    const notes = new Array<string>()
    for (const fault of faults.values()) {
      respond = fault
      posts = 0
      notes.push(String(await ask("send")))
      figures.push(posts)
    }
    await stop()
    const row = { labels: [name], unit: "", figures }
    return ownNames.includes(name) ? { ...row, target: atMost(1), notes } : row
  })
}

export const wire = async function* (): AsyncGenerator<Table> {
  installOthers()
  const rows = new Array<Row>()
  for (const name of [...ownNames, ...others]) rows.push(await rowOf(name))
  yield { name: "wire", headings: ["client"], measured: [...faults.keys()], rows }
}
