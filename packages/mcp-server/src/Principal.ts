/**
 * Who calls, as one string that sessions, approvals and the audit are bound to.
 */
import type { AuthInfo } from "@modelcontextprotocol/server"

export const principalOf = (authInfo: AuthInfo | undefined): string => {
  const principal = authInfo?.extra?.["principal"]
  return typeof principal === "string" ? principal : (authInfo?.clientId ?? "anonymous")
}
