/**
 * One call of a client: who makes it, and whether a person can be asked.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  type ServerContext
} from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import { principalOf } from "./Principal.ts"

export interface Call {
  /** Whom the answer is for; `local` over stdio. */
  readonly principal: string
  /** Whether the client can put a form before a person. */
  readonly canBeAsked: boolean
  /** Whether it speaks 2026-07-28 or later, where a question is an answer and not a request. */
  readonly isModern: boolean
  readonly context: ServerContext
}

/** Before there were two modes, an empty object meant the form. */
const asksByForm = (capabilities: unknown): boolean => {
  if (!Predicate.hasProperty(capabilities, "elicitation")) return false
  const { elicitation } = capabilities
  if (!Predicate.isObject(elicitation)) return false
  return Predicate.hasProperty(elicitation, "form") || !Predicate.hasProperty(elicitation, "url")
}

/** A modern client says with each request what it can do; an older one said it once. */
const capabilitiesOf = (server: McpServer, { mcpReq }: ServerContext): unknown => {
  const { envelope } = mcpReq
  // oxlint-disable-next-line typescript/no-deprecated -- the only source for an older client
  if (envelope === undefined) return server.server.getClientCapabilities()
  return Predicate.hasProperty(envelope, CLIENT_CAPABILITIES_META_KEY)
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : undefined
}

export const principalOfCall = (context: ServerContext): string =>
  context.http === undefined ? "local" : principalOf(context.http.authInfo)

export const make = (server: McpServer, context: ServerContext): Call => ({
  principal: principalOfCall(context),
  canBeAsked: asksByForm(capabilitiesOf(server, context)),
  isModern: context.mcpReq.envelope !== undefined,
  context
})
