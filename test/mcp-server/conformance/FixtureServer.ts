/**
 * The server that the conformance suites require, for our own HTTP server.
 */
import {
  createRequestStateCodec,
  McpServer,
  type McpServerFactory
} from "@modelcontextprotocol/server"
import { registerContent } from "./FixtureContent.ts"
import { registerAsking } from "./FixtureQuestions.ts"
import { registerTools } from "./FixtureTools.ts"

export const makeFixtureFactory = (): McpServerFactory => {
  const codec = createRequestStateCodec<number>({ key: crypto.getRandomValues(new Uint8Array(32)) })
  return ({ era }) => {
    const subscribe = era === "legacy"
    const server = new McpServer(
      { name: "conformance-fixtures", version: "1.0.0" },
      {
        capabilities: {
          tools: { listChanged: false },
          prompts: { listChanged: false },
          resources: { listChanged: false, ...(subscribe ? { subscribe } : {}) },
          completions: {},
          logging: {}
        },
        requestState: { verify: codec.verify }
      }
    )
    registerTools(server)
    registerAsking(server, codec)
    registerContent(server)
    server.server.setRequestHandler("completion/complete", () => ({ completion: { values: [] } }))
    if (subscribe) {
      server.server.setRequestHandler("resources/subscribe", () => ({}))
      server.server.setRequestHandler("resources/unsubscribe", () => ({}))
    }
    return server
  }
}
