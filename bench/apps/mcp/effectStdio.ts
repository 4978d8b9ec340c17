import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpServer from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { options } from "./effect.ts"

McpServer.layerStdio(options).pipe(
  Layer.provide(NodeStdio.layer),
  // The protocol uses standard output.
  Layer.provide(Logger.layer([])),
  Layer.launch,
  Effect.runFork
)
