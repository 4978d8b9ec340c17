/**
 * Calls the tools of a toolkit as a language model does: the model is a script, and the rest is Effect's.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as SmsToolkit from "@messaging-topup/mcp-server/toolkit"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { passTime, readingTime } from "./Clock.ts"
import type { Elicit, McpClient, ToolDescription } from "./McpClients.ts"
import type { Environment } from "./RunningServer.ts"

/** A model that calls this tool, or nothing, and keeps which tools it was offered. */
export const modelCalling = (
  call: Omit<Response.ToolCallPartEncoded, "type"> | undefined,
  offered: Array<Tool.Any> = []
) => {
  const parts = call === undefined ? [] : [{ type: "tool-call", ...call } as const]
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ tools }) =>
        Effect.sync(() => {
          offered.push(...tools)
          return [...parts]
        }),
      streamText: () => Stream.fromIterable(parts)
    })
  )
}

/** The service that the variables name. */
const serviceOf = ({
  MESSAGING_TOPUP_BASE_URL: baseUrl = "",
  MESSAGING_TOPUP_TOKEN: token = ""
}: Environment) =>
  Layer.provide(MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }), NodeTransport.layer)

const descriptionOf = (tool: Tool.Any): ToolDescription => {
  const hint = (of: Context.Reference<boolean>) => Context.get(tool.annotations, of)
  return {
    name: tool.name,
    title: Context.getUnsafe(tool.annotations, Tool.Title),
    description: Tool.getDescription(tool),
    inputSchema: Tool.getJsonSchema(tool),
    annotations: {
      readOnlyHint: hint(Tool.Readonly),
      destructiveHint: hint(Tool.Destructive),
      idempotentHint: hint(Tool.Idempotent),
      openWorldHint: hint(Tool.OpenWorld)
    }
  }
}

interface ToolkitSettings {
  readonly environment: Environment
  readonly options?: Partial<SmsToolkit.ToolkitOptions>
  /** Without it, nobody can be asked. */
  readonly elicit?: Elicit | undefined
}

export type ToolkitClient = AsyncDisposable & Pick<McpClient, "callTool" | "listTools">

/** Like the client of a server with the same settings. */
export const connectToolkit = ({
  elicit,
  environment,
  options = {}
}: ToolkitSettings): ToolkitClient => {
  const { layer, toolkit } = SmsToolkit.make({ state: { _tag: "Memory" }, ...options })
  const runtime = ManagedRuntime.make(
    Layer.merge(Layer.provide(layer, serviceOf(environment)), Logger.layer([]))
  )
  const ask = (question: string) =>
    Effect.promise(async () => {
      const choice = await elicit?.(question)
      passTime(readingTime)
      return choice ?? "cancel"
    })
  const caller = { principal: "local", ...(elicit === undefined ? {} : { ask }) }
  const generate = (model: ReturnType<typeof modelCalling>) =>
    LanguageModel.generateText({ prompt: "Do it.", toolkit }).pipe(
      Effect.provide(model),
      Effect.provideService(SmsToolkit.ToolCaller, caller)
    )
  return {
    listTools: async () => {
      const offered: Array<Tool.Any> = []
      await runtime.runPromise(generate(modelCalling(undefined, offered)))
      return offered.map(descriptionOf)
    },
    callTool: async (name, params = {}) => {
      const model = modelCalling({ id: "1", name, params })
      const { toolResults } = await runtime.runPromise(generate(model))
      const [result] = toolResults
      if (result === undefined) throw new Error(`${name} has no result`)
      const { encodedResult, isFailure, modelOutput, result: output } = result
      const [shown] = modelOutput ?? []
      if (AiError.isAiError(output) || !("message" in output)) {
        throw new Error(`${name} has no result of its own`)
      }
      const text = shown?.type === "text" ? shown.text : SmsToolkit.textOf(output)
      return {
        content: [{ type: "text", text }],
        structuredContent: encodedResult,
        ...(isFailure ? { isError: true } : {})
      }
    },
    [Symbol.asyncDispose]: () => runtime.dispose()
  }
}
