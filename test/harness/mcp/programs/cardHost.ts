/**
 * A host in the browser, on the reference bridge of MCP Apps: it calls a tool as its model does, shows the card in a
 * frame, and passes on what the card calls.
 */
import {
  AppBridge,
  isToolVisibilityAppOnly,
  type McpUiHostContext,
  PostMessageTransport
} from "@modelcontextprotocol/ext-apps/app-bridge"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

interface Settings {
  readonly name: string
  readonly args: Record<string, unknown>
  readonly context: McpUiHostContext
}

/** What the test reads. */
export interface CardHost {
  /** The names of the tools that the model sees. */
  readonly tools: ReadonlyArray<string>
  /** The result that the model reads. */
  readonly result: unknown
  /** What the card told the model. */
  told: unknown
  readonly close: () => Promise<unknown>
  readonly change: (context: McpUiHostContext) => void
}

declare global {
  var openCard: (settings: string) => Promise<void>
  var host: CardHost
}

const info = { name: "host", version: "1.0.0" }

const mimeTypes = ["text/html;profile=mcp-app"]

globalThis.openCard = async (settings) => {
  const { args, context, name }: Settings = JSON.parse(settings)
  const client = new Client(info, {
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes } } },
    versionNegotiation: { mode: "auto" }
  })
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)))
  const { tools } = await client.listTools()
  const result = await client.callTool({ name, arguments: args })
  const { _meta, ...forModel } = result
  const tool = tools.find((each) => each.name === name)
  const { resourceUri: uri } = (tool?._meta?.["ui"] ?? {}) as { readonly resourceUri?: string }
  if (uri === undefined) throw new Error("The tool has no page")
  const { contents } = await client.readResource({ uri })
  const [page] = contents
  const frame = document.createElement("iframe")
  frame.setAttribute("sandbox", "allow-scripts")
  document.body.append(frame)
  const offers = { serverTools: {}, updateModelContext: { text: {}, structuredContent: {} } }
  const bridge = new AppBridge(client, info, offers, { hostContext: context })
  globalThis.host = {
    tools: tools.filter((each) => !isToolVisibilityAppOnly(each)).map((each) => each.name),
    result: forModel,
    told: undefined,
    close: () => bridge.teardownResource({}),
    change: (next) => bridge.setHostContext(next)
  }
  bridge.onupdatemodelcontext = (told) => {
    globalThis.host.told = told
    return Promise.resolve({})
  }
  bridge.addEventListener("sizechange", ({ height = 0 }) => {
    frame.style.height = `${height}px`
  })
  bridge.addEventListener("initialized", () => {
    void bridge.sendToolInput({ arguments: args }).then(() => bridge.sendToolResult(result))
  })
  const view = frame.contentWindow
  if (view === null || page === undefined || !("text" in page)) throw new Error("No page")
  await bridge.connect(new PostMessageTransport(view, view))
  frame.srcdoc = page.text
}
