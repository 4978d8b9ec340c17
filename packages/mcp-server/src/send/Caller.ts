/**
 * The caller of a tool: its identity, and whether its client can ask a person.
 */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  type McpRequestContext,
  type McpServer,
  type ServerContext
} from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import type { Identity, Rules } from "./Rules.ts"

/** Approvals, duplicates and the log are bound to the principal. */
export interface Caller extends Identity {
  /** Whether the client can show a form to a person. */
  readonly canBeAsked: boolean
  /** Whether the client speaks 2026-07-28 or later, where a question is a result and not a request. */
  readonly isModern: boolean
  readonly context: ServerContext
}

/** Returns the identity of the caller of an HTTP request. Sessions are bound to it. */
export const identityOf = (authInfo: AuthInfo | undefined): Identity => {
  const { client, principal } = authInfo?.extra ?? {}
  return {
    principal: typeof principal === "string" ? principal : (authInfo?.clientId ?? "anonymous"),
    ...(typeof client === "string" ? { clientId: client } : {})
  }
}

/** The caller over stdio. */
export const local: Identity = { principal: "local" }

export const identityOfContext = ({ http }: ServerContext): Identity =>
  http === undefined ? local : identityOf(http.authInfo)

/** Returns the caller for whom the SDK asks for a server. Over stdio there is no HTTP request. */
export const identityOfRequest = ({ authInfo, requestInfo }: McpRequestContext): Identity =>
  requestInfo === undefined ? local : identityOf(authInfo)

/** An empty object means the form: older revisions have no other mode of elicitation. */
const supportsForms = (capabilities: unknown): boolean => {
  if (!Predicate.hasProperty(capabilities, "elicitation")) return false
  const { elicitation } = capabilities
  if (!Predicate.isObject(elicitation)) return false
  return Predicate.hasProperty(elicitation, "form") || !Predicate.hasProperty(elicitation, "url")
}

/** Whether first sends go to any number, and nobody is asked. */
export const isUnguarded = (
  { allowLists, confirm, sendingOff }: Rules,
  capabilities: unknown
): boolean => {
  const asks =
    confirm.value === "require" || (confirm.value === "auto" && supportsForms(capabilities))
  return sendingOff === undefined && allowLists.value.length === 0 && !asks
}

/** A modern client states its capabilities in each request; a legacy one stated them once. */
const capabilitiesOf = (server: McpServer, { mcpReq }: ServerContext): unknown => {
  const { envelope } = mcpReq
  // oxlint-disable-next-line typescript/no-deprecated -- the only source for a legacy client
  if (envelope === undefined) return server.server.getClientCapabilities()
  return Predicate.hasProperty(envelope, CLIENT_CAPABILITIES_META_KEY)
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : undefined
}

export const make = (server: McpServer, context: ServerContext): Caller => ({
  ...identityOfContext(context),
  canBeAsked: supportsForms(capabilitiesOf(server, context)),
  isModern: context.mcpReq.envelope !== undefined,
  context
})
