/**
 * Registers a tool with the SDK.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import {
  inputRequired,
  type McpServer,
  requireScopes,
  type ServerContext,
  TRACEPARENT_META_KEY
} from "@modelcontextprotocol/server"
import { Pending } from "../send/Approval.ts"
import { Telemetry } from "../Telemetry.ts"
import { errorKey, type Run, type Tool } from "../tools/Tool.ts"
import type { Rendered } from "../tools/ToolResult.ts"
import { type CallerOf, emptyForm, inputKey } from "./McpCaller.ts"

interface Registration {
  readonly run: Run
  readonly callerOf: CallerOf
}

const codeOf = (result: Pending | Rendered): string | undefined => {
  const facts = result instanceof Pending ? undefined : result._meta?.[errorKey]
  return Predicate.hasProperty(facts, "code") ? String(facts.code) : undefined
}

/** The trace of the client: in the request, as MCP says, or in a header of HTTP. */
const traceparentOf = ({ http, mcpReq }: ServerContext): string | undefined => {
  const traceparent =
    mcpReq._meta?.[TRACEPARENT_META_KEY] ?? http?.req?.headers.get(TRACEPARENT_META_KEY)
  return Predicate.isString(traceparent) ? traceparent : undefined
}

const question = ({ message, state: requestState }: Pending) => {
  const form = inputRequired.elicit({ message, requestedSchema: emptyForm })
  return inputRequired({ inputRequests: { [inputKey]: form }, requestState })
}

/** A legacy client is asked here, and then the tool is called again, as a modern client does it. */
const answered = Effect.fnUntraced(function* (
  tool: Tool,
  args: unknown,
  { caller, decide }: ReturnType<CallerOf>
) {
  const result = yield* tool.call(args, caller)
  return decide !== undefined && result instanceof Pending
    ? yield* tool.call(args, yield* decide(result.message))
    : result
})

export const register = (server: McpServer, tool: Tool, { callerOf, run }: Registration): void => {
  const { annotations, description, inputSchema, name, outputSchema, scope, title } = tool
  const scopeChallenge = requireScopes(scope)
  const config = { title, description, annotations, inputSchema, outputSchema, scopeChallenge }
  server.registerTool(name, config, (args, context) =>
    run(
      Effect.flatMap(Telemetry, ({ toolCall }) =>
        toolCall({
          tool: name,
          traceparent: traceparentOf(context),
          call: answered(tool, args, callerOf(server, context)),
          codeOf
        })
      ).pipe(Effect.map((result) => (result instanceof Pending ? question(result) : result))),
      context.mcpReq.signal
    )
  )
}
