/**
 * A server on Effect's own `McpServer`, with the same tools and the same constant. It takes schemas of
 * results only as Effect schemas, so it has none.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { createServer } from "node:http"
import { result, tools } from "./tools.ts"

const toolkit = Toolkit.make(
  ...tools.map(({ description, inputSchema, name, title }) =>
    Tool.dynamic(name, { description, parameters: inputSchema }).annotate(Tool.Title, title)
  )
)

const handlers = toolkit.toLayer(
  Object.fromEntries(
    tools.map(({ name }) => [name, () => Effect.succeed(result.structuredContent)])
  )
)

const server = createServer()
server.on("listening", () => {
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`)
})

HttpRouter.serve(
  McpServer.layerHttp({
    name: "bare",
    version: "1.0.0",
    path: "/mcp",
    protocols: [McpProtocol.v2025_11_25],
    registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
  }),
  { disableLogger: true, disableListenLog: true }
).pipe(
  Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })),
  Layer.provide(Logger.layer([])),
  Layer.launch,
  Effect.runFork
)
