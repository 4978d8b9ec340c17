/** Registers a tool with the SDK. */
import * as Effect from "effect/Effect"
import {
  type McpServer,
  type ServerContext,
  TRACEPARENT_META_KEY
} from "@modelcontextprotocol/server"
import { resultOf } from "../card/Card.ts"
import { Pending, serverStops } from "../send/Approval.ts"
import { InFlight } from "../send/Dispatch.ts"
import { toolCall } from "../Telemetry.ts"
import type { Services, Tool } from "../tools/Tool.ts"
import { type CallerOf, questionOf } from "./McpCaller.ts"
import * as Progress from "./Progress.ts"

export interface Registration {
  readonly run: <A>(
    call: Effect.Effect<A, never, Services | InFlight>,
    options: { readonly signal: AbortSignal }
  ) => Promise<A>
  readonly callerOf: CallerOf
}

/** The trace of the client: in the request, as MCP says, or in a header of HTTP. */
const traceparentOf = ({ http, mcpReq }: ServerContext): unknown =>
  mcpReq._meta?.[TRACEPARENT_META_KEY] ?? http?.req?.headers.get(TRACEPARENT_META_KEY)

/** A legacy client is asked here, and then the tool is called again, as a modern client does it. That may ask again. */
const replied = Effect.fnUntraced(function* <A>(
  call: Tool["call"],
  args: unknown,
  { caller, askNow }: ReturnType<CallerOf>,
  { whileAsking }: Progress.Progress,
  ask: (question: Pending) => A
) {
  const { hold } = yield* InFlight
  let by = caller
  while (true) {
    const isEnding = by.person?.action === serverStops
    const result = yield* isEnding ? hold(call(args, by)) : call(args, by)
    if (!(result instanceof Pending)) return result
    if (askNow === undefined) return ask(result)
    by = yield* whileAsking(askNow(result))
  }
})

export const register = (
  server: McpServer,
  { call, name, ...config }: Tool,
  { callerOf, run }: Registration,
  _meta?: Readonly<Record<string, unknown>>
): void => {
  server.registerTool(name, { ...config, ...(_meta && { _meta }) }, (args, context) => {
    const by = callerOf(server, context)
    const progress = Progress.make(context)
    const result = replied(call, args, by, progress, (question) =>
      by.isShownCards === true ? resultOf(question, name, args) : questionOf(by, question)
    )
    const traced = toolCall(name, traceparentOf(context), progress.during(result))
    return run(traced, { signal: context.mcpReq.signal })
  })
}
