/**
 * Connects each kind of client over each transport, behind one interface.
 */
import type {
  CallToolRequest,
  CallToolResult,
  Client,
  RequestOptions
} from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema
} from "@modelcontextprotocol/sdk/types.js"
import { passTime, readingTime } from "./Clock.ts"
import {
  connect as connectNew,
  type GuardedServer,
  type Person,
  startGuarded
} from "./GuardedServer.ts"
import { type Environment, StreamTransport } from "./Server.ts"

export interface Combination {
  readonly kind: "2.x modern" | "2.x legacy" | "1.x"
  readonly transport: "stdio" | "http"
}

export const combinations: ReadonlyArray<Combination> = (
  ["2.x modern", "2.x legacy", "1.x"] as const
).flatMap((kind) => (["stdio", "http"] as const).map((transport) => ({ kind, transport })))

/** The client of most tests: what they check is the same for every kind. */
const anyClient: Combination = { kind: "2.x modern", transport: "stdio" }

export type ToolResult = CallToolResult

export interface ToolDescription {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: object | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
}

/** The text of a result: it has one part. */
export const textOf = ({ content: [part] }: ToolResult): string =>
  part?.type === "text" ? part.text : ""

type CallOptions = Pick<RequestOptions, "onprogress" | "resetTimeoutOnProgress" | "signal">

export interface ConnectSettings {
  readonly args?: ReadonlyArray<string>
  readonly environment?: Environment
  /** Without it, the client cannot ask a person. */
  readonly person?: Person | undefined
}

type Call = (params: CallToolRequest["params"], options?: CallOptions) => Promise<ToolResult>

/** The common methods of both SDKs' clients. */
type SdkClient = Pick<Client, "getInstructions" | "close" | "onerror"> & {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<ToolDescription> }>
}

/** The 1.x client does not return its revision, but tells it its transport. */
const connectOld = async (person: Person | undefined, { server, url }: GuardedServer) => {
  const capabilities = person === undefined ? {} : { elicitation: { form: {} } }
  const client = new OldClient({ name: "old", version: "1.0.0" }, { capabilities })
  if (person !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      const decision = await person(params.message)
      passTime(readingTime)
      return ElicitResultSchema.parse(decision)
    })
  }
  const transport =
    url === undefined ? new StreamTransport(server) : new OldHttpTransport(new URL(url))
  await client.connect(transport)
  const revision = transport.protocolVersion
  const call: Call = async (params, options) =>
    CallToolResultSchema.parse(await client.callTool(params, undefined, options))
  return { client, revision, call }
}

/** Starts a server and connects a client to it. The server ends with the client. */
export const connect = async (
  { kind, transport }: Combination = anyClient,
  { args = [], environment = {}, person }: ConnectSettings = {}
) => {
  const server = await startGuarded(transport, args, environment)
  const connected = async () => {
    if (kind === "1.x") return connectOld(person, server)
    const era = kind === "2.x modern" ? "modern" : "legacy"
    const { client } = await connectNew(era, server.open(), { person })
    const call: Call = (params, options) => client.callTool(params, options)
    return { client, revision: client.getNegotiatedProtocolVersion(), call }
  }
  const { call, client: sdk, revision } = await connected()
  const client: SdkClient = sdk
  const problems: Array<string> = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client is no event target
  client.onerror = ({ message }) => void problems.push(message)
  return {
    /** What the client got and did not expect. */
    problems,
    /** The revision that client and server agreed on. */
    revision,
    callTool: (name: string, given: object = {}, options: CallOptions = {}) =>
      call({ name, arguments: { ...given } }, options),
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    log: server.log,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await server[Symbol.asyncDispose]()
    }
  }
}

export type McpClient = Awaited<ReturnType<typeof connect>>
