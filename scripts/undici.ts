/**
 * What the transport of core relies on in undici, as observations of raw sockets. A test compares them with the
 * pinned version, and `check-peers.ts` with the lowest and the newest one that core allows.
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import process from "node:process"
import { Agent, type Dispatcher, ProxyAgent } from "undici"

const post = { path: "/", method: "POST", headers: {}, body: "body" } as const

type OnStart = (controller: Dispatcher.DispatchController) => void

/** Makes one request, and returns the order of what undici reports. */
const reports = (
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  onStart: OnStart = () => {}
): Promise<ReadonlyArray<unknown>> =>
  new Promise((resolve) => {
    const events: Array<unknown> = []
    const fail = (error: unknown) => {
      const { code, message } = error as { readonly code?: string; readonly message: string }
      // The code of this one is that of a wrong argument.
      resolve([...events, message.endsWith("(407)") ? message : (code ?? message)])
    }
    try {
      dispatcher.dispatch(options, {
        onRequestStart: (controller) => {
          events.push("start")
          onStart(controller)
        },
        onResponseStart: (_, status) => {
          events.push(status)
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(events),
        onResponseError: (controller, error) => {
          if (controller !== undefined) events.push("controller")
          fail(error)
        }
      })
    } catch (error) {
      fail(error)
    }
  })

/** A server that does what the test says with each POST. */
const listening = async (respond: (socket: Socket, nth: number) => void) => {
  const posts: Array<string> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}))
    socket.on("data", (chunk: Buffer) => {
      if (!chunk.includes("POST")) return
      posts.push(String(chunk))
      respond(socket, posts.length)
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, posts, sockets, close }
}

const accepted = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n"

export const observe = async () => {
  const agent = new Agent({ connections: 1, pipelining: 1 })
  const server = await listening((socket, nth) => {
    if (nth < 3) socket.write(accepted)
    else socket.resetAndDestroy()
  })
  const refusing = await listening(() => {})
  refusing.close()
  const proxy = await listening((socket) =>
    socket.write("HTTP/1.1 407 Any\r\ncontent-length: 0\r\n\r\n")
  )
  const { origin } = server
  const observed = {
    "a request starts before its response": await reports(agent, { ...post, origin }),
    "a request whose handler throws at its start": await reports(agent, { ...post, origin }, () => {
      throw new Error("refused")
    }).then((events) => [...events, server.posts.length]),
    "the next request": await reports(agent, { ...post, origin }),
    "connections until here": server.sockets.size,
    "a reset on a reused connection": await reports(agent, { ...post, origin }),
    "POSTs until here": server.posts.length,
    "a refused connection": await reports(agent, { ...post, origin: refusing.origin }),
    "a path that cannot be written": await reports(agent, { ...post, origin, path: "a b" }),
    "a 407 behind a proxy": await reports(new ProxyAgent(proxy.origin), { ...post, origin })
  }
  await agent.destroy()
  server.close()
  proxy.close()
  return observed
}

export const expected: Awaited<ReturnType<typeof observe>> = {
  "a request starts before its response": ["start", 202],
  "a request whose handler throws at its start": ["start", "controller", "refused", 1],
  "the next request": ["start", 202],
  "connections until here": 1,
  "a reset on a reused connection": ["start", "controller", "ECONNRESET"],
  "POSTs until here": 3,
  "a refused connection": ["ECONNREFUSED"],
  "a path that cannot be written": ["controller", "UND_ERR_INVALID_ARG"],
  "a 407 behind a proxy": ["start", "controller", "Proxy Authentication Required (407)"]
}

if (process.argv[1]?.endsWith("undici.ts") === true) console.log(JSON.stringify(await observe()))
