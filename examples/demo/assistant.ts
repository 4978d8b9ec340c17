/**
 * Starts the MCP server as a host does, and calls its tools as an assistant does.
 */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { approve, assistantSession } from "./assistant-session.ts"

const main = new URL("src/main.ts", import.meta.resolve("@messaging-topup/mcp-server/package.json"))

const connect = async (args: ReadonlyArray<string>, env: Record<string, string>) => {
  const client = new Client(
    { name: "example-assistant", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } }
  )
  approve(client)
  const transport = new StdioClientTransport({
    command: execPath,
    args: [fileURLToPath(main), ...args],
    env,
    // The log would appear between the lines of the session.
    stderr: "ignore"
  })
  await client.connect(transport)
  return client
}

export const assistant = (args: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.acquireUseRelease(
    Effect.promise(() => connect(args, env)),
    assistantSession,
    (client) => Effect.promise(() => client.close())
  )
