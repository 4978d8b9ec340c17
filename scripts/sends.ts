/**
 * Runs sends.js with a promise client of a project, and checks the outcomes that it reports and the POSTs that
 * the server counts.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { buffer, json } from "node:stream/consumers"
import { createZstdCompress } from "node:zlib"
import { faults, type Runtime } from "../docs/runtimes.ts"

/** 1.4 GB in 45 KB. */
const bomb = await buffer(
  Readable.from(Array.from({ length: 1400 }, () => Buffer.alloc(1e6))).pipe(createZstdCompress())
)

/** Does to a POST what its text says, and notes it. */
const makeServer = (posts: Array<string>): Server => {
  const server = createServer((request, response) => {
    const { socket } = request
    const respond = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.url?.includes("zstd") === true) {
      // Nobody asked for this coding.
      response.writeHead(200, { "content-encoding": "zstd" }).end(bomb)
      return
    }
    if (request.method === "GET") {
      respond(200, { category: [{ bundle_id: "b-1" }] })
      return
    }
    void json(request).then((body) => {
      const { message } = body as { readonly message: string }
      posts.push(message)
      // No runtime limits the memory that decompressing zstd takes.
      if (request.headers["accept-encoding"]?.includes("zstd") === true) posts.push("zstd")
      if (message === "500") return respond(500, { success: false, error: { status: 500 } })
      if (message === "end") return socket.end()
      if (message === "cut") return socket.end("HTTP/1.1 202 Acc")
      if (message === "stopped") server.close()
      if (message === "stopped" || message === "reset") return socket.resetAndDestroy()
      if (message !== "accepted") return undefined
      const data = [{ recipient: "+15550100123", message_id: "m-1", status: "any" }]
      return respond(202, { success: true, status: 202, message: "Accepted", data })
    })
  })
  return server
}

const listen = async (listener: Server): Promise<string> => {
  await once(listener.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

const faultsOf = Object.entries(faults)
const outcomes = Object.fromEntries(faultsOf.map(([text, { outcome }]) => [text, outcome]))
const expectedPosts = faultsOf.flatMap(([text, fault]) => [
  "accepted",
  ...Array.from({ length: fault.posts }, () => text)
])

/** `run` runs sends.js with this argument, and returns its output. */
export const checkSends = async (
  label: string,
  { httpClient, refused }: Pick<Runtime, "httpClient" | "refused">,
  run: (argument: string) => Promise<string>
): Promise<void> => {
  const posts = new Array<string>()
  const server = makeServer(posts)
  const baseUrl = await listen(server)
  // Of now, because another program can take the port of a server that is closed.
  const refusing = createServer()
  const refusingUrl = await listen(refusing)
  refusing.close()
  const text = await run(JSON.stringify({ baseUrl, refusingUrl, faults: Object.keys(faults) }))
  server.close()
  server.closeAllConnections()
  // Another `fetch` than the platform's may have tried twice.
  const replaced = httpClient === "fetch" ? "unknown" : refused
  const zstd = { error: "InvalidResponse", isBounded: true }
  const expected = { accepted: "sent", ...outcomes, refused, replaced, bundles: 1, zstd }
  assert.deepEqual(JSON.parse(text), expected, `${label}: the client reported ${text}`)
  assert.deepEqual(posts, expectedPosts, `${label}: the server got ${posts.join(", ")}`)
  console.log(`${label}: every send made one POST, and its outcome is right`)
}
