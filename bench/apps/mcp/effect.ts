/**
 * The same tools on Effect's own server. It accepts schemas of results only as Effect schemas, so this
 * server has none.
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { info, preview, tools } from "./tools.ts"

const toolkit = Toolkit.make(
  ...tools.map(({ annotations, description, inputSchema, name, title }) =>
    Tool.dynamic(name, { description, parameters: inputSchema })
      .annotate(Tool.Title, title)
      .annotate(Tool.Readonly, annotations["readOnlyHint"] === true)
      .annotate(Tool.Destructive, annotations["destructiveHint"] === true)
      .annotate(Tool.Idempotent, annotations["idempotentHint"] === true)
      .annotate(Tool.OpenWorld, annotations["openWorldHint"] === true)
  )
)

const handlers = toolkit.toLayer(
  Object.fromEntries(tools.map(({ name }) => [name, () => Effect.succeed(preview)]))
)

export const options = {
  ...info,
  protocols: [McpProtocol.v2025_11_25],
  registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
} as const
