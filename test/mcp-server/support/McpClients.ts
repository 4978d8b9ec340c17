/**
 * Connects each kind of client over each transport, behind one interface.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { passTime, readingTime } from "./Clock.ts"
import { startInProcess } from "./InProcessServer.ts"
import type { Environment } from "./RunningServer.ts"
import type { ServerLog } from "./ServerLog.ts"
import { StreamTransport } from "./StreamTransport.ts"

const kinds = ["2.x modern", "2.x legacy", "1.x"] as const

type Kind = (typeof kinds)[number]

const transports = ["stdio", "http"] as const

type TransportName = (typeof transports)[number]

export interface Combination {
  readonly kind: Kind
  readonly transport: TransportName
}

export const combinations: ReadonlyArray<Combination> = kinds.flatMap((kind) =>
  transports.map((transport) => ({ kind, transport }))
)

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

export interface McpClient extends AsyncDisposable {
  /** The revision that client and server agreed on. */
  readonly revision: string | undefined
  readonly instructions: string | undefined
  readonly log: ServerLog
  readonly listTools: () => Promise<ReadonlyArray<ToolDescription>>
  readonly callTool: (name: string, args?: object, options?: CallOptions) => Promise<ToolResult>
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

/** The common methods of the 1.x and the 2.x client of the SDK, as far as tests use them. */
interface SdkClient {
  readonly getInstructions: () => string | undefined
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<ToolDescription> }>
  readonly close: () => Promise<void>
}

type Connected = Omit<McpClient, "log" | typeof Symbol.asyncDispose> & Pick<SdkClient, "close">

const connected = (
  client: SdkClient,
  revision: string | undefined,
  callTool: McpClient["callTool"]
): Connected => ({
  revision,
  instructions: client.getInstructions(),
  listTools: async () => (await client.listTools()).tools,
  callTool,
  close: () => client.close()
})

const connectNew = async (
  mode: "auto" | "legacy",
  elicit: Elicit | undefined,
  transport: StreamTransport | StreamableHTTPClientTransport
): Promise<Connected> => {
  const client = new Client(info, {
    capabilities: capabilitiesOf(elicit),
    versionNegotiation: { mode }
  })
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => replyTo(elicit, params.message))
  }
  await client.connect(transport)
  return connected(client, client.getNegotiatedProtocolVersion(), (name, args = {}, options = {}) =>
    client.callTool({ name, arguments: { ...args } }, options)
  )
}

/** The 1.x client does not return its revision, but passes it to the transport. */
const connectOld = async (
  elicit: Elicit | undefined,
  transport: StreamTransport | OldHttpTransport
): Promise<Connected> => {
  const client = new OldClient(info, { capabilities: capabilitiesOf(elicit) })
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => replyTo(elicit, params.message))
  }
  let revision: string | undefined
  const setProtocolVersion =
    "setProtocolVersion" in transport ? transport.setProtocolVersion.bind(transport) : () => {}
  const recordingTransport = Object.assign(transport, {
    setProtocolVersion: (version: string) => {
      revision = version
      setProtocolVersion(version)
    }
  })
  await client.connect(recordingTransport)
  return connected(client, revision, async (name, args = {}, options = {}) =>
    CallToolResultSchema.parse(
      await client.callTool({ name, arguments: { ...args } }, undefined, options)
    )
  )
}

const connectStdio = async (
  kind: Kind,
  { args = [], elicit, environment = {} }: ConnectSettings
): Promise<McpClient> => {
  const server = startInProcess(args, { env: environment })
  const transport = new StreamTransport(server)
  const client =
    kind === "1.x"
      ? await connectOld(elicit, transport)
      : await connectNew(modeOf(kind), elicit, transport)
  return { ...client, log: server.log, [Symbol.asyncDispose]: client.close }
}

const modeOf = (kind: "2.x modern" | "2.x legacy") => (kind === "2.x modern" ? "auto" : "legacy")

/** Connects a client to a running server. */
const connectTo = (kind: Kind, url: string, elicit?: Elicit): Promise<Connected> =>
  kind === "1.x"
    ? connectOld(elicit, new OldHttpTransport(new URL(url)))
    : connectNew(modeOf(kind), elicit, new StreamableHTTPClientTransport(new URL(url)))

const connectHttp = async (
  kind: Kind,
  { args = [], elicit, environment = {} }: ConnectSettings
): Promise<McpClient> => {
  const server = startInProcess(["--http", "--port", "0", ...args], { env: environment })
  const stop = () => server[Symbol.asyncDispose]()
  try {
    const client = await connectTo(kind, await server.url(), elicit)
    const dispose = async () => {
      try {
        await client.close()
      } finally {
        await stop()
      }
    }
    return { ...client, log: server.log, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts a server and connects a client to it. The server ends with the client. */
export const connect = (
  { kind, transport }: Combination,
  settings: ConnectSettings = {}
): Promise<McpClient> =>
  transport === "stdio" ? connectStdio(kind, settings) : connectHttp(kind, settings)
