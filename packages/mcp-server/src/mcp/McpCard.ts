/** Offers the card to a client that shows it: its page, and the tool that takes the decision. */
import type { McpServer } from "@modelcontextprotocol/server"
import { decideSms, mimeType, uri } from "../card/Card.ts"
import * as McpTool from "./McpTool.ts"

export const register = (server: McpServer, registration: McpTool.Registration): void => {
  server.server.registerCapabilities({ resources: { listChanged: false } })
  // It loads nothing.
  const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true }
  server.registerResource("approval", uri, { title: "Approval of SMS", mimeType }, () =>
    // Imported here, so that a server whose clients show no card does not load it.
    import("../card/CardPage.ts").then(({ page: text }) => ({
      contents: [{ uri, mimeType, text, _meta: { ui } }]
    }))
  )
  McpTool.register(server, decideSms, registration, { ui: { visibility: ["app"] } })
}

/** What a tool says whose results the card belongs to. */
export const shown = { ui: { resourceUri: uri } }
