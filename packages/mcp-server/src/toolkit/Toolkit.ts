/**
 * The tools of the MCP server as a toolkit of Effect's AI modules, for programs that call a language model
 * themselves. Names, descriptions, arguments, guards and results are those of the server.
 *
 * Effect marks its AI modules as unstable. No other module of this package imports them.
 */
import { type InvalidInput, MessagingTopup } from "@messaging-topup/core"
import type { JournalLocation } from "@messaging-topup/journal/open"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Guards from "../Guards.ts"
import { confirmationExpired, confirmationFailed } from "../send/ApprovalRefusals.ts"
import type { Caller, DuringCall } from "../send/Caller.ts"
import { InFlight } from "../send/InFlight.ts"
import { Pending } from "../send/Pending.ts"
import { SendBatches } from "../send/SendBatches.ts"
import { SendGuard } from "../send/SendGuard.ts"
import { SendMemory } from "../send/SendMemory.ts"
import { describe, IsOffered, type Services, type Tool as OwnTool } from "../tools/Tool.ts"
import * as ToolResult from "../tools/ToolResult.ts"
import * as Tools from "../tools/Tools.ts"
import * as ToolkitSettings from "./ToolkitSettings.ts"

/** The names of the tools. */
export type ToolName =
  | "preview_sms"
  | "send_sms"
  | "send_sms_batch"
  | "get_sms_status"
  | "get_airtime_status"
  | "get_data_bundle_status"
  | "list_data_bundles"
  | "list_recent_sends"

/**
 * The settings of a toolkit. All but `state` are options of the MCP server, with the same defaults and
 * bounds, and a text for the model names them as options: `maxSegments` is `--max-segments`.
 */
export interface ToolkitOptions {
  /**
   * Where sends, limits and approvals are stored. Give each account, and the sandbox, a place of its own: what
   * one of them accepted holds back the same SMS to the others.
   */
  readonly state: JournalLocation
  /** The tools to offer. Without `send_sms` and `send_sms_batch`, nothing is sent. Default: all. */
  readonly tools?: ReadonlyArray<ToolName>
  /** Numbers that may be written to, and prefixes that end in `*`, such as `+2547*`. Default: everyone. */
  readonly allowRecipients?: ReadonlyArray<string>
  /** Sender IDs that may be used. Default: all. */
  readonly allowSenderIds?: ReadonlyArray<string>
  /** Host names that `webhook_url` may name. Default: none, and `webhook_url` is no argument. */
  readonly allowWebhookHosts?: ReadonlyArray<string>
  /** Maximum segments of one SMS. */
  readonly maxSegments?: number
  /** Maximum rows of one call of `send_sms_batch`. */
  readonly maxBatch?: number
  /** Maximum SMS in any 60 minutes, for all callers together. */
  readonly maxSendsPerHour?: number
  /** Maximum segments in any 24 hours, for all callers together. */
  readonly maxSegmentsPerDay?: number
  /** How long a repeated call returns the result of the first send, instead of sending again. */
  readonly duplicateWindow?: Duration.Input
  /** Whether `list_recent_sends` shows neither digits of recipients nor characters of texts. */
  readonly hideRecentTexts?: boolean
  /**
   * Which sends a person must approve. `auto`: all if the caller can ask, otherwise only second sends of an
   * SMS; `require`: all; `off`: only second sends. Default: `auto`.
   */
  readonly confirm?: "auto" | "off" | "require"
  /** How long a person may take to approve a send. */
  readonly confirmTimeout?: Duration.Input
  /** How long a send of unknown outcome blocks the same SMS. */
  readonly unknownHold?: Duration.Input
}

/** What a person did with a question: approved, declined, or closed it without a decision. */
export type Decision = "accept" | "cancel" | "decline"

/**
 * On whose behalf the model calls the tools, and how that person is asked. Each request to the model needs it.
 */
export class ToolCaller extends Context.Service<
  ToolCaller,
  {
    /** Duplicates and recent sends are those of this principal, and the log names it. */
    readonly principal: string
    /**
     * Shows a question of one paragraph to the person, as plain text, and returns the decision. A failure
     * means that it was not shown. A decision within 300 ms is not one of a person, and no approval. A model
     * can call several tools at once, so several questions can be open. Without this function, nobody can
     * be asked.
     */
    readonly ask?: (question: string) => Effect.Effect<Decision, unknown>
  }
>()("@messaging-topup/mcp-server/toolkit/Toolkit/ToolCaller") {}

/**
 * The result of a tool: what happened, and facts such as the `outcome` of a send. It is the structured
 * content of the server's result.
 */
export interface ToolOutput {
  /** What happened. */
  readonly message: string
  /** What to do now. */
  readonly next?: string
  readonly [fact: string]: unknown
}

const Output: Schema.Codec<ToolOutput> = Schema.StructWithRest(
  Schema.Struct({
    message: Schema.String,
    next: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/**
 * One of the tools. A refusal, or a send that failed, is a failure that is returned to the model.
 */
export type SmsTool = Tool.Tool<
  ToolName,
  {
    readonly parameters: Schema.Unknown
    readonly success: Schema.Codec<ToolOutput>
    readonly failure: Schema.Codec<ToolOutput>
    readonly failureMode: "return"
  },
  ToolCaller
>

/** The tools, and the layer that handles their calls. */
export interface SmsToolkit {
  /** For the model, alone or merged with a toolkit of the program. It has the tools that are offered. */
  readonly toolkit: Toolkit.Toolkit<{ readonly [Name in ToolName]: SmsTool }>
  /**
   * Holds the state: build it once. It fails for a wrong option. While the state is unavailable, sends are
   * refused. When the layer is released, it waits for the sends in flight, at most 40 seconds. The server
   * removes its access token from what the service responds. This layer does not know the token.
   */
  readonly layer: Layer.Layer<Tool.Handler<ToolName>, InvalidInput, MessagingTopup>
}

/**
 * Returns the text that MCP clients get for a result. The model gets it for each result that is no failure.
 */
export const textOf = (output: ToolOutput): string => ToolResult.textOf("", output)

const tools: Readonly<Record<ToolName, OwnTool>> = Tools.tools

const toolOf = (name: ToolName, own: OwnTool, offers: (tool: string) => boolean): SmsTool => {
  const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = own.annotations
  return (
    Tool.dynamic(name, {
      description: describe(own, offers),
      parameters: own.inputSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
      success: Output,
      failure: Output,
      failureMode: "return",
      toModelOutput: (output: ToolOutput) => [Prompt.textPart({ text: textOf(output) })]
    })
      .annotate(Tool.Title, own.title)
      .annotate(Tool.Readonly, readOnlyHint)
      .annotate(Tool.Destructive, destructiveHint)
      .annotate(Tool.Idempotent, idempotentHint)
      .annotate(Tool.OpenWorld, openWorldHint)
      // Strict schemas require every argument, and some of these are optional.
      .annotate(Tool.Strict, false)
      .addDependency(ToolCaller)
  )
}

const asking = (ask: NonNullable<ToolCaller["Service"]["ask"]>): DuringCall => ({
  _tag: "DuringCall",
  ask: (question, timeout) =>
    Effect.suspend(() => ask(question)).pipe(
      Effect.catchDefect(() => Effect.fail(confirmationFailed)),
      Effect.mapError(() => confirmationFailed),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(confirmationExpired) })
    )
})

const callerOf = (
  { ask, principal }: ToolCaller["Service"],
  { preliminary }: Toolkit.HandlerContext<SmsTool>
): Caller => ({
  principal,
  asking: ask === undefined ? undefined : asking(ask),
  report: (progress) => preliminary({ ...progress })
})

/** Longer than a send takes with the time-outs of usual clients. */
const staleAfter = Duration.minutes(2)

const guardsOf = (options: ToolkitOptions) =>
  Layer.unwrap(
    Effect.map(ToolkitSettings.read(options), ({ rules, ...settings }) =>
      Guards.layer({
        ...settings,
        rulesOf: () => rules,
        state: options.state,
        service: "",
        staleAfter
      })
    )
  ).pipe(Layer.provideMerge(Layer.fresh(InFlight.layer)))

/** Effect writes the arguments into the span of the request to the model. This replaces them. */
const withoutArguments = Effect.annotateCurrentSpan("parameters", "<hidden>")

/** A question of the program never ends the call, so the result is there. */
const handled = Effect.flatMap((result: Pending | ToolResult.Rendered) => {
  if (result instanceof Pending) return Effect.die("a question ended the call")
  const { isError, structuredContent } = result
  return isError === true ? Effect.fail(structuredContent) : Effect.succeed(structuredContent)
})

/** Makes the toolkit. */
export const make = (options: ToolkitOptions): SmsToolkit => {
  const { allowWebhookHosts: webhookHosts = [], tools: names = Struct.keys(tools) } = options
  const offers = (tool: string): boolean => names.some((name) => name === tool)
  const offered = Record.map(tools, (tool) => Tools.variantOf(tool, webhookHosts))
  const toolkit = Toolkit.make(
    ...Struct.keys(offered)
      .filter(offers)
      .map((name) => toolOf(name, offered[name], offers))
  )
  const handlers = Effect.gen(function* () {
    // Not the whole context: the caller is that of each request.
    const services = Context.pick(
      MessagingTopup,
      SendBatches,
      SendGuard,
      SendMemory
    )(yield* Effect.context<Services>())
    const { shutdown } = yield* InFlight
    yield* Effect.addFinalizer(() => shutdown)
    return Record.map(
      offered,
      ({ call }) =>
        (args: unknown, context: Toolkit.HandlerContext<SmsTool>) =>
          withoutArguments.pipe(
            Effect.andThen(ToolCaller),
            Effect.flatMap((caller) => call(args, callerOf(caller, context))),
            handled,
            Effect.provideService(IsOffered, offers),
            Effect.provideContext(services)
          )
    )
  })
  return { toolkit, layer: Layer.provide(toolkit.toLayer(handlers), guardsOf(options)) }
}
