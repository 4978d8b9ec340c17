import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as McpServer from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { createServer } from "node:http"
import { options } from "./effect.ts"
import { announce } from "./serve.ts"

const server = createServer()

server.on("listening", () => {
  const address = server.address()
  if (address !== null && typeof address === "object") announce(address.port)
})

HttpRouter.serve(McpServer.layerHttp({ ...options, path: "/mcp" }), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })),
  Layer.provide(Logger.layer([])),
  Layer.launch,
  Effect.runFork
)
