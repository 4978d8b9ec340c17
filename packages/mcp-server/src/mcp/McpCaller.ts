/** The caller over MCP: a client, for the identity that its transport found. */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createRequestStateCodec,
  type McpServer,
  type McpServerFactory,
  type ServerContext
} from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Card from "../card/Card.ts"
import { approvalInvalid, confirmTimeout, type Pending } from "../send/Approval.ts"
import type { Caller, Identity } from "../send/Caller.ts"

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
const clientOf = ({ server }: McpServer, { mcpReq }: ServerContext) => {
  const { envelope } = mcpReq
  const stated = (key: string): unknown =>
    Predicate.hasProperty(envelope, key) ? envelope[key] : undefined
  // oxlint-disable typescript/no-deprecated -- the only source for a legacy client
  return envelope === undefined
    ? { capabilities: server.getClientCapabilities(), info: server.getClientVersion() }
    : { capabilities: stated(CLIENT_CAPABILITIES_META_KEY), info: stated(CLIENT_INFO_META_KEY) }
  // oxlint-enable typescript/no-deprecated
}

/** The name of the question among the inputs that a call needs. */
export const inputKey = "confirm"

// The form has no fields: accepting or declining it is the decision. With an optional field, Codex 0.169 does
// not submit a plain yes.
const emptyForm = { type: "object", properties: {} } as const

/**
 * These show the first lines of a question: Claude Code 2.1.332 three, and no key shows the rest; Codex 0.171 what
 * fits into its window, without a sign of the rest.
 */
const cutting: ReadonlySet<unknown> = new Set(["claude-code", "codex-mcp-client"])

const maxLines = 3

/**
 * A line of a question in a terminal of 40 columns, and an entry of the list in one of 60. Wide characters take two
 * columns, and so do quotes, which Claude Code escapes in a list. A line ends after a word, if it can.
 */
const lineOf = /[^"\\\u1100-\u{10ffff}]{0,35} |[^"\\\u1100-\u{10ffff}]{1,36}$|.{0,17} |.{1,18}/gsu

/**
 * For a client that cuts questions, the form has a long one as a list. Claude Code scrolls it; every entry is chosen and
 * must stay so, or it cannot be accepted. Codex shows no list, but says that there is more, and opens the whole question.
 */
const schemaFor = (info: unknown, message: string) => {
  const name = Predicate.hasProperty(info, "name") ? info.name : undefined
  const found = cutting.has(name) ? (message.match(lineOf) ?? []) : []
  if (found.length <= maxLines) return emptyForm
  const lines = found.map((line, at) => `${at + 1} ${line}`)
  const whole = {
    type: "array",
    title: "The whole question",
    description: "Open it to read all that is sent",
    items: { type: "string", enum: lines },
    minItems: lines.length,
    default: lines
  } as const
  return { type: "object", properties: { whole } } as const
}

/** A question as this client shows it. */
export const formFor = (server: McpServer, context: ServerContext, { message }: Pending) => ({
  message,
  requestedSchema: schemaFor(clientOf(server, context).info, message)
})

/** The SDK's own schema drops an unknown action, and the person would be asked again. */
const anything = Schema.toStandardSchemaV1(Schema.Unknown)

const isDecision = Schema.is(
  Schema.Struct({
    action: Schema.String,
    content: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
  })
)

/** Every action but "accept" is a refusal. */
const actionOf = (decision: unknown): string | undefined =>
  isDecision(decision) ? decision.action : undefined

/**
 * Asks a legacy client during its call. The SDK could ask clients of both eras. But if a legacy client fails to
 * ask, the SDK shows the model a text of its own that repeats the client's error.
 */
const elicit = (
  { mcpReq }: ServerContext,
  params: ReturnType<typeof formFor>
): Effect.Effect<string> =>
  Effect.tryPromise((signal) =>
    mcpReq.send({ method: "elicitation/create", params }, anything, {
      signal,
      timeout: Duration.toMillis(confirmTimeout)
    })
  ).pipe(
    Effect.map((decision) => actionOf(decision) ?? "cancel"),
    Effect.orElseSucceed(() => "cancel")
  )

/** A caller, and how the question that ended its call is asked. */
export interface McpCaller {
  readonly caller: Caller
  /** Asks a client that is asked during its call, and returns the caller with the decision. */
  readonly decide?: (question: Pending) => Effect.Effect<Caller>
  /** The person decides on a card, which calls again. */
  readonly isShownCards?: boolean
}

export type CallerOf = (server: McpServer, context: ServerContext) => McpCaller

/**
 * `key` signs the states of questions, each for the caller that is asked. A new one is made when it is first
 * used, because crypto takes milliseconds to load. `withCards`: the server has the tool that a card calls.
 */
export const maker = (key: Uint8Array | undefined): ((withCards: boolean) => CallerOf) => {
  let made: ReturnType<typeof createRequestStateCodec> | undefined
  const codec = () =>
    (made ??= createRequestStateCodec({
      key: key ?? crypto.getRandomValues(new Uint8Array(32)),
      // For ever: a question has the time at which it was asked, by which it expires.
      ttlSeconds: Number.MAX_SAFE_INTEGER,
      bind: (context) => identityOfContext(context).id
    }))

  return (withCards) => (server, context) => {
    const { mcpReq } = context
    const identity = identityOfContext(context)
    const callerWith = (action: string | undefined, state: unknown): Caller => ({
      ...identity,
      person: {
        action,
        state,
        seal: (sealed) => Effect.promise(() => codec().mint(sealed, context)),
        unseal: (sealed) =>
          Effect.tryPromise({
            try: () => codec().verify(typeof sealed === "string" ? sealed : "", context),
            catch: () => approvalInvalid
          })
      }
    })
    const way = wayOf(clientOf(server, context).capabilities, withCards)
    if (way === "none") return { caller: { ...identity, person: undefined } }
    if (way === "card") return { caller: callerWith(undefined, undefined), isShownCards: true }
    // A modern client shows the question that is the result of its call, and calls again.
    if (mcpReq.envelope !== undefined) {
      const action = actionOf(mcpReq.inputResponses?.[inputKey])
      return { caller: callerWith(action, mcpReq.requestState()) }
    }
    return {
      caller: callerWith(undefined, undefined),
      decide: (question) =>
        Effect.map(elicit(context, formFor(server, context, question)), (action) =>
          callerWith(action, question.state)
        )
    }
  }
}
