/** The caller over MCP: a client, for the identity that its transport found. */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type McpServer,
  type McpServerFactory,
  type ServerContext
} from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Card from "../card/Card.ts"
import {
  approvalInvalid,
  confirmTimeout,
  monotonicMillis,
  notUnderstood,
  type Pending,
  serverStops
} from "../send/Approval.ts"
import type { Caller, Identity } from "../send/Caller.ts"
import { InFlight } from "../send/Dispatch.ts"
import * as Form from "./Form.ts"

/** Returns the identity of the caller of an HTTP request. Sessions are bound to it. */
export const identityOf = (authInfo: AuthInfo | undefined): Identity => {
  const { caller, client } = authInfo?.extra ?? {}
  return {
    id: typeof caller === "string" ? caller : (authInfo?.clientId ?? "anonymous"),
    ...(typeof client === "string" ? { clientId: client } : {})
  }
}

/** The caller over stdio. */
const local: Identity = { id: "local" }

const identityOfContext = ({ http }: ServerContext): Identity =>
  http === undefined ? local : identityOf(http.authInfo)

/** An empty object means the form: older revisions have no other mode of elicitation. */
const supportsForms = (capabilities: unknown): boolean => {
  if (!Predicate.hasProperty(capabilities, "elicitation")) return false
  const { elicitation } = capabilities
  if (!Predicate.isObject(elicitation)) return false
  return Predicate.hasProperty(elicitation, "form") || !Predicate.hasProperty(elicitation, "url")
}

/** How a person can be asked through a client. */
export type Way = "form" | "card" | "none"

/** The form comes first: it needs no page. */
const wayOf = (capabilities: unknown, withCards: boolean): Way => {
  if (supportsForms(capabilities)) return "form"
  return withCards && Card.isShownBy(capabilities) ? "card" : "none"
}

/** Chooses a factory by the message with which a client begins. */
export type FactoryFor = (message: unknown) => McpServerFactory

/** How a person can be asked through the client of this message. Undefined if it does not say what the client can do. */
export const statedWay = (message: unknown, withCards: boolean): Way | undefined => {
  const params = Predicate.hasProperty(message, "params") ? message.params : undefined
  const meta = Predicate.hasProperty(params, "_meta") ? params._meta : undefined
  if (Predicate.hasProperty(meta, CLIENT_CAPABILITIES_META_KEY))
    return wayOf(meta[CLIENT_CAPABILITIES_META_KEY], withCards)
  return Predicate.hasProperty(params, "capabilities")
    ? wayOf(params.capabilities, withCards)
    : undefined
}

/** A modern client states its capabilities and its name in each request; a legacy one stated them once. */
const clientOf = ({ server }: McpServer, { mcpReq: { envelope } }: ServerContext) => {
  const stated: Readonly<Record<string, unknown>> = { ...envelope }
  // oxlint-disable typescript/no-deprecated -- the only source for a legacy client
  return envelope === undefined
    ? { capabilities: server.getClientCapabilities(), info: server.getClientVersion() }
    : { capabilities: stated[CLIENT_CAPABILITIES_META_KEY], info: stated[CLIENT_INFO_META_KEY] }
  // oxlint-enable typescript/no-deprecated
}

/** The name of the question among the inputs that a call needs. */
const inputKey = "confirm"

/** The result of a call of a modern client: the question, and what the client returns with the reply. */
export const questionOf = ({ client }: McpCaller, question: Pending) => {
  const { params, shown } = Form.make(client, question.message)
  return inputRequired({
    inputRequests: { [inputKey]: inputRequired.elicit(params) },
    // A client that would change what its form had could as well return what is expected.
    requestState: `${shown} ${question.sealed}`
  })
}

const returned = /^(choice|\d+) (.+)$/s

/** The reply that a modern client returns. */
const replyOf = ({ mcpReq }: ServerContext) => {
  const [, shown = "choice", sealed] = returned.exec(String(mcpReq.requestState())) ?? []
  const form = shown === "choice" ? shown : Number(shown)
  return { action: Form.actionOf(form, mcpReq.inputResponses?.[inputKey]), sealed }
}

/** The SDK's own schema drops an unknown action, and the person would be asked again. */
const anything = Schema.toStandardSchemaV1(Schema.Unknown)

/**
 * Asks a legacy client during its call. The SDK could ask clients of both eras. But if a legacy client fails to
 * ask, the SDK shows the model a text of its own that repeats the client's error.
 */
const elicit = ({ mcpReq }: ServerContext, { params, shown }: Form.Form): Effect.Effect<string> =>
  Effect.tryPromise((signal) =>
    mcpReq.send({ method: "elicitation/create", params }, anything, {
      signal,
      timeout: Duration.toMillis(confirmTimeout)
    })
  ).pipe(
    Effect.map((reply) => Form.actionOf(shown, reply) ?? notUnderstood),
    Effect.orElseSucceed(() => "cancel")
  )

/** A caller, and how the question that ended its call is asked. */
export interface McpCaller {
  readonly caller: Caller
  /** What the client says of itself. */
  readonly client: unknown
  /** Asks a client that is asked during its call, and returns the caller with the reply. */
  readonly askNow?: (question: Pending) => Effect.Effect<Caller, never, InFlight>
  /** The person replies on a card, which calls again. */
  readonly isShownCards?: boolean
}

export type CallerOf = (server: McpServer, context: ServerContext) => McpCaller

/**
 * `approvalKey` signs questions, each for the caller that is asked and the service. A new one is made when it is first
 * used, because crypto takes milliseconds to load. `withCards`: the server has the tool that a card calls.
 */
export const maker = (
  approvalKey: Uint8Array | undefined,
  service: string
): ((withCards: boolean) => CallerOf) => {
  let made: ReturnType<typeof createRequestStateCodec> | undefined
  const codec = () =>
    (made ??= createRequestStateCodec({
      key: approvalKey ?? crypto.getRandomValues(new Uint8Array(32)),
      // For ever: a question has the time at which it was asked, by which it expires.
      ttlSeconds: Number.MAX_SAFE_INTEGER,
      bind: (context) => JSON.stringify([service, identityOfContext(context).id])
    }))

  return (withCards) => (server, context) => {
    const { mcpReq } = context
    const identity = identityOfContext(context)
    const callerWith = (action: string | undefined, sealed: unknown): Caller => ({
      ...identity,
      person: {
        action,
        repliedWhen: Effect.runSync(monotonicMillis),
        sealed,
        seal: (question) => Effect.promise(() => codec().mint(question, context)),
        unseal: (given) =>
          Effect.tryPromise({
            try: () => codec().verify(typeof given === "string" ? given : "", context),
            catch: () => approvalInvalid
          })
      }
    })
    const { capabilities, info: client } = clientOf(server, context)
    const way = wayOf(capabilities, withCards)
    if (way === "none") return { client, caller: { ...identity, person: undefined } }
    if (way === "card") {
      return { client, caller: callerWith(undefined, undefined), isShownCards: true }
    }
    // A modern client shows the question that is the result of its call, and calls again.
    if (mcpReq.envelope !== undefined) {
      const { action, sealed } = replyOf(context)
      return { client, caller: callerWith(action, sealed) }
    }
    return {
      client,
      caller: callerWith(undefined, undefined),
      askNow: (question) =>
        Effect.flatMap(InFlight, ({ stops }) =>
          Effect.raceFirst(
            elicit(context, Form.make(client, question.message)),
            Effect.as(stops, serverStops)
          )
        ).pipe(Effect.map((action) => callerWith(action, question.sealed)))
    }
  }
}
