/**
 * What a tool is made of, and how it is put before a client.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  requireScopes
} from "@modelcontextprotocol/server"
import * as Caller from "../Caller.ts"
import { Notice, noticed } from "../Notice.ts"
import { invalidArguments, type Refusal, toolFailed } from "../Refusal.ts"
import type { Run, Services } from "../Runner.ts"
import * as ToolSchema from "./ToolSchema.ts"

/** Short prose for the model, and the same as data. */
export interface ToolResult<A> {
  readonly text: string
  readonly data: A
}

export interface Definition<In, Out> {
  readonly name: string
  readonly title: string
  /** What it does, when to use it, what it costs, which units. */
  readonly description: string
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  readonly scope: string
  readonly input: Schema.Codec<In, unknown>
  readonly output: Schema.Codec<Out, unknown>
  readonly run: (
    args: In,
    caller: Caller.Caller
  ) => Effect.Effect<ToolResult<Out> | InputRequiredResult, Refusal, Services>
}

export interface Tool {
  readonly name: string
  readonly register: (server: McpServer, run: Run) => void
}

const succeeded = (notice: string, { data, text }: ToolResult<object>): CallToolResult => ({
  content: [{ type: "text", text: noticed(notice, text) }],
  structuredContent: { ...data }
})

// No structured content: a client of the 1.x line throws where it does not fit the output schema.
const refused = (notice: string, { code, details, text }: Refusal): CallToolResult => ({
  content: [{ type: "text", text: noticed(notice, text) }],
  isError: true,
  _meta: { "messaging-topup/error": { code, ...details } }
})

/** A defect's own words could hold anything; the log names its kind. */
const explainDefect = (name: string, defect: unknown, isRead: boolean) =>
  Effect.as(
    Effect.logError("tool failed").pipe(
      Effect.annotateLogs({
        tool: name,
        defect: defect instanceof Error ? defect.name : typeof defect
      })
    ),
    toolFailed(isRead)
  )

const handle = Effect.fnUntraced(function* <In, Out extends object>(
  definition: Definition<In, Out>,
  args: Result.Result<In, string>,
  caller: Caller.Caller
) {
  const notice = yield* Notice
  return yield* Effect.fromResult(Result.mapError(args, invalidArguments)).pipe(
    Effect.flatMap((decoded) => definition.run(decoded, caller)),
    Effect.map((result) => (isInputRequiredResult(result) ? result : succeeded(notice, result))),
    Effect.catchDefect((defect) =>
      Effect.flatMap(
        explainDefect(definition.name, defect, definition.annotations.readOnlyHint),
        Effect.fail
      )
    ),
    Effect.catchTag("Refusal", (refusal) => Effect.succeed(refused(notice, refusal)))
  )
})

export const make = <In, Out extends object>(definition: Definition<In, Out>): Tool => {
  const { annotations, description, name, title } = definition
  const input = ToolSchema.ofArguments(definition.input)
  const config = {
    title,
    description,
    annotations,
    inputSchema: input.schema,
    outputSchema: ToolSchema.ofResult(definition.output),
    scopeChallenge: requireScopes(definition.scope)
  }
  return {
    name,
    register: (server, run) => {
      server.registerTool(name, config, (args, context) =>
        run(
          handle(definition, input.decode(args), Caller.make(server, context)),
          context.mcpReq.signal
        )
      )
    }
  }
}

export const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true
} as const
