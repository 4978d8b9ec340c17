/**
 * Who may speak to the MCP endpoint over HTTP.
 */
import type { AuthInfo } from "@modelcontextprotocol/server"

export interface Gate {
  /** The caller, or the answer that refuses it. */
  readonly authenticate: (request: Request) => Promise<AuthInfo | Response>
  /** Documents that need no authentication, such as RFC 9728 metadata. */
  readonly document: (request: Request) => Response | undefined
}
