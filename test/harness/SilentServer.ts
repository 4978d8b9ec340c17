/**
 * An address where a connection attempt never ends, because the queue of the listening socket is
 * full.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"

/** Listens, and blocks its event loop before it could accept anything: only the kernel handles connections. */
const listener = `
  const { createServer } = require("node:net")
  const { parentPort, workerData } = require("node:worker_threads")
  const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(workerData, 0, 0)
  })
`

/** Fills the queue. */
const fill = async (port: number): Promise<ReadonlyArray<Socket>> => {
  const sockets: Array<Socket> = []
  for (;;) {
    const socket = connect(port, "127.0.0.1").on("error", () => socket.destroy())
    sockets.push(socket)
    // On loopback, the kernel answers at once, or never.
    await Promise.race([once(socket, "connect"), setTimeout(200)])
    // On a busy machine, the time is over before this process has looked for the answer.
    await setImmediate()
    if (socket.connecting) return sockets
  }
}

export const silentServer: Effect.Effect<{ readonly port: number }, never, Scope.Scope> =
  Effect.acquireRelease(
    Effect.promise(async () => {
      const lock = new Int32Array(new SharedArrayBuffer(4))
      const worker = new Worker(listener, { eval: true, workerData: lock })
      const [port]: ReadonlyArray<number> = await once(worker, "message")
      const sockets = await fill(port ?? 0)
      const close = () => {
        for (const socket of sockets) socket.destroy()
        Atomics.store(lock, 0, 1)
        Atomics.notify(lock, 0)
        return worker.terminate()
      }
      return { port: port ?? 0, close }
    }),
    ({ close }) => Effect.promise(close)
  )
