/**
 * Connects each kind of client over each transport, behind one interface.
 */
import { Client } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { passTime, readingTime } from "./Clock.ts"
import { type GuardedServer, startGuarded } from "./GuardedServer.ts"
import type { Environment, ServerLog } from "./RunningServer.ts"
import { StreamTransport } from "./StreamTransport.ts"

export interface Combination {
  readonly kind: "2.x modern" | "2.x legacy" | "1.x"
  readonly transport: "stdio" | "http"
}

export const combinations: ReadonlyArray<Combination> = (
  ["2.x modern", "2.x legacy", "1.x"] as const
).flatMap((kind) => (["stdio", "http"] as const).map((transport) => ({ kind, transport })))

export const titleOf = ({ kind, transport }: Combination): string => `${kind} over ${transport}`

/** The decision of a person on a question. */
type Choice = "accept" | "decline" | "cancel"

export type Elicit = (message: string) => Choice | Promise<Choice>

export interface ToolResult {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string | undefined }>
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

export interface ProgressReport {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (report: ProgressReport) => void
}

export interface ToolDescription {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: object | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
}

/** The common methods of the 1.x and the 2.x client of the SDK, as far as tests use them. */
interface SdkClient {
  readonly getInstructions: () => string | undefined
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<ToolDescription> }>
  readonly close: () => Promise<void>
}

interface Connected {
  readonly client: SdkClient
  /** The revision that client and server agreed on. */
  readonly revision: string | undefined
  readonly callTool: (name: string, args?: object, options?: CallOptions) => Promise<ToolResult>
}

export interface McpClient extends Omit<Connected, "client">, AsyncDisposable {
  readonly instructions: string | undefined
  readonly log: ServerLog
  readonly listTools: () => Promise<ReadonlyArray<ToolDescription>>
}

export interface ConnectSettings {
  readonly args?: ReadonlyArray<string>
  readonly environment?: Environment
  /** Without it, the client cannot ask a person. */
  readonly elicit?: Elicit
}

const info = { name: "matrix", version: "1.0.0" }

const capabilitiesOf = (elicit: Elicit | undefined) =>
  elicit === undefined ? {} : { elicitation: { form: {} } }

const replyTo = async (elicit: Elicit, message: string) => {
  const action = await elicit(message)
  passTime(readingTime)
  return action === "accept" ? { action, content: {} } : { action }
}

const connectNew = async (
  mode: "auto" | "legacy",
  elicit: Elicit | undefined,
  server: GuardedServer
): Promise<Connected> => {
  const client = new Client(info, {
    capabilities: capabilitiesOf(elicit),
    versionNegotiation: { mode }
  })
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => replyTo(elicit, params.message))
  }
  await client.connect(server.open())
  return {
    client,
    revision: client.getNegotiatedProtocolVersion(),
    callTool: (name, args = {}, options = {}) =>
      client.callTool({ name, arguments: { ...args } }, options)
  }
}

/** The 1.x client does not return its revision, but passes it to the transport. */
const connectOld = async (
  elicit: Elicit | undefined,
  { server, url }: GuardedServer
): Promise<Connected> => {
  const client = new OldClient(info, { capabilities: capabilitiesOf(elicit) })
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => replyTo(elicit, params.message))
  }
  const transport =
    url === undefined ? new StreamTransport(server) : new OldHttpTransport(new URL(url))
  let revision: string | undefined
  const setProtocolVersion =
    "setProtocolVersion" in transport ? transport.setProtocolVersion.bind(transport) : () => {}
  await client.connect(
    Object.assign(transport, {
      setProtocolVersion: (version: string) => {
        revision = version
        setProtocolVersion(version)
      }
    })
  )
  return {
    client,
    revision,
    callTool: async (name, args = {}, options = {}) =>
      CallToolResultSchema.parse(
        await client.callTool({ name, arguments: { ...args } }, undefined, options)
      )
  }
}

/** Starts a server and connects a client to it. The server ends with the client. */
export const connect = async (
  { kind, transport }: Combination,
  { args = [], elicit, environment = {} }: ConnectSettings = {}
): Promise<McpClient> => {
  const server = await startGuarded(transport, args, environment)
  const { callTool, client, revision } =
    kind === "1.x"
      ? await connectOld(elicit, server)
      : await connectNew(kind === "2.x modern" ? "auto" : "legacy", elicit, server)
  return {
    revision,
    callTool,
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    log: server.log,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await server[Symbol.asyncDispose]()
    }
  }
}
