/**
 * The caller over MCP: a client, for the identity that its transport found.
 */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type McpRequestContext,
  type McpServer,
  SdkError,
  SdkErrorCode,
  type ServerContext
} from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { confirmTimeout, notAsked } from "../send/Approval.ts"
import { approvalExpired, approvalInvalid } from "../send/ApprovalRefusals.ts"
import type { Asking, Caller } from "../send/Caller.ts"
import type { Identity } from "../send/Rules.ts"

/** Returns the identity of the caller of an HTTP request. Sessions are bound to it. */
export const identityOf = (authInfo: AuthInfo | undefined): Identity => {
  const { client, principal } = authInfo?.extra ?? {}
  return {
    principal: typeof principal === "string" ? principal : (authInfo?.clientId ?? "anonymous"),
    ...(typeof client === "string" ? { clientId: client } : {})
  }
}

/** The caller over stdio. */
const local: Identity = { principal: "local" }

const identityOfContext = ({ http }: ServerContext): Identity =>
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

/** A modern client states its capabilities in each request; a legacy one stated them once. */
const capabilitiesOf = (server: McpServer, { mcpReq }: ServerContext): unknown => {
  const { envelope } = mcpReq
  // oxlint-disable-next-line typescript/no-deprecated -- the only source for a legacy client
  if (envelope === undefined) return server.server.getClientCapabilities()
  return Predicate.hasProperty(envelope, CLIENT_CAPABILITIES_META_KEY)
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : undefined
}

/** The name of the question among the inputs that a call needs. */
export const inputKey = "confirm"

// The form has no fields: accepting or declining it is the decision. With an optional field, Codex 0.169 does
// not submit a plain yes.
export const emptyForm = { type: "object", properties: {} } as const

/**
 * The decision that a client returns. The SDK's own schema drops an unknown action, and the person
 * would be asked again. Here, every action but "accept" is a refusal.
 */
const Decision = Schema.Struct({
  action: Schema.String,
  content: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})

const decodeDecision = Schema.decodeUnknownOption(Decision)

const standardDecision = Schema.toStandardSchemaV1(Decision)

const actionOf = (decision: unknown): string | undefined =>
  Option.getOrUndefined(decodeDecision(decision))?.action

/** Signs the states of questions, each for the principal that is asked. */
const codecOf = (key: Uint8Array) =>
  createRequestStateCodec({
    key,
    ttlSeconds: Duration.toSeconds(confirmTimeout),
    bind: (context) => identityOfContext(context).principal
  })

/** A modern client shows the question that is the result of its call, and calls again. */
const byResult = (context: ServerContext, codec: () => ReturnType<typeof codecOf>): Asking => ({
  action: actionOf(context.mcpReq.inputResponses?.[inputKey]),
  seal: (state) => Effect.promise(() => codec().mint(state, context)),
  unseal: Effect.tryPromise({
    try: () => {
      const state = context.mcpReq.requestState()
      return codec().verify(typeof state === "string" ? state : "", context)
    },
    catch: (error) =>
      error instanceof Error && error.message === "expired" ? approvalExpired : approvalInvalid
  })
})

/** A legacy client is asked during its call, so the state of the question stays here. */
const here = (action: string | undefined, states: Array<unknown>): Asking => ({
  action,
  seal: (state) => Effect.sync(() => `${states.push(state)}`),
  unseal: Effect.sync(() => states.at(-1))
})

/**
 * Asks a legacy client. The SDK could ask clients of both eras. But if a legacy client fails to ask, the
 * SDK shows the model a text of its own that repeats the client's error.
 */
const elicit = (context: ServerContext, message: string): Effect.Effect<string> =>
  Effect.tryPromise({
    try: (signal) =>
      context.mcpReq.send(
        { method: "elicitation/create", params: { message, requestedSchema: emptyForm } },
        standardDecision,
        { signal, timeout: Duration.toMillis(confirmTimeout) }
      ),
    catch: (error) =>
      error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
        ? notAsked.expired
        : notAsked.failed
  }).pipe(
    Effect.map(({ action }) => action),
    Effect.catch(Effect.succeed)
  )

const reporter = ({ mcpReq }: ServerContext): Caller["report"] => {
  const progressToken = mcpReq._meta?.progressToken
  return progressToken === undefined
    ? undefined
    : (progress) =>
        Effect.tryPromise(() =>
          mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, ...progress }
          })
        )
}

/** A caller, and how the question that ended its call is asked. */
export interface McpCaller {
  readonly caller: Caller
  /** Asks a client that is asked during its call, and returns the caller with the decision. */
  readonly decide?: (question: string) => Effect.Effect<Caller>
}

export type CallerOf = (server: McpServer, context: ServerContext) => McpCaller

/** `key` signs the states of questions. */
export const maker = (key: () => Uint8Array): CallerOf => {
  let made: ReturnType<typeof codecOf> | undefined
  const codec = () => (made ??= codecOf(key()))
  return (server, context) => {
    const known = { ...identityOfContext(context), report: reporter(context) }
    if (!supportsForms(capabilitiesOf(server, context))) {
      return { caller: { ...known, asking: undefined } }
    }
    if (context.mcpReq.envelope !== undefined) {
      return { caller: { ...known, asking: byResult(context, codec) } }
    }
    const states: Array<unknown> = []
    return {
      caller: { ...known, asking: here(undefined, states) },
      decide: (question) =>
        Effect.map(elicit(context, question), (action) => ({
          ...known,
          asking: here(action, states)
        }))
    }
  }
}
