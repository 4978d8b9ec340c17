/**
 * A model on loopback that plays fixed tool calls, in the wire formats that the hosts speak. It keeps nothing of
 * a conversation: which call comes next follows from the number of results in the request.
 */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

type Json = Readonly<Record<string, unknown>>

/** A call of a tool of our server, by our name. */
export interface ToolCall {
  readonly tool: string
  readonly arguments: Json
}

interface OfferedTool {
  readonly name: string
  /** In Codex, the tools of a server are in a namespace. */
  readonly namespace?: string
}

type Turn =
  | { readonly text: string }
  | (OfferedTool & { readonly id: string; readonly input: Json })

interface Dialect {
  readonly path: RegExp
  /** Returns what a part of the request is the result of a tool. */
  readonly resultIn: (part: Json) => unknown
  readonly events: (turn: Turn) => ReadonlyArray<Json>
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** All objects in a value, in their order. */
const recordsIn = (value: unknown): ReadonlyArray<Json> => {
  if (Array.isArray(value)) return value.flatMap(recordsIn)
  return isRecord(value) ? [value, ...Object.values(value).flatMap(recordsIn)] : []
}

const toolsIn = (value: unknown, namespace?: string): ReadonlyArray<OfferedTool> => {
  if (Array.isArray(value)) return value.flatMap((each) => toolsIn(each, namespace))
  if (!isRecord(value)) return []
  const { name, tools } = value
  if (typeof name !== "string") return Object.values(value).flatMap((each) => toolsIn(each))
  if (tools !== undefined) return toolsIn(tools, name)
  return [{ name, ...(namespace === undefined ? {} : { namespace }) }]
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }

const responses: Dialect = {
  path: /\/responses$/,
  resultIn: ({ output, type }) => (type === "function_call_output" ? output : undefined),
  events: (turn) => {
    const item =
      "text" in turn
        ? {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: turn.text }]
          }
        : {
            type: "function_call",
            call_id: turn.id,
            name: turn.name,
            namespace: turn.namespace,
            arguments: JSON.stringify(turn.input)
          }
    return [
      { type: "response.created", response: { id: "r" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: "r", usage } }
    ]
  }
}

const chatCompletions: Dialect = {
  path: /\/chat\/completions$/,
  resultIn: ({ content, role }) => (role === "tool" ? content : undefined),
  events: (turn) => {
    const chunk = (delta: Json, finish_reason: string | null) => ({
      id: "c",
      object: "chat.completion.chunk",
      created: 0,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason }]
    })
    if ("text" in turn)
      return [chunk({ role: "assistant", content: turn.text }, null), chunk({}, "stop")]
    const call = { name: turn.name, arguments: JSON.stringify(turn.input) }
    const tool_calls = [{ index: 0, id: turn.id, type: "function", function: call }]
    return [chunk({ role: "assistant", content: null, tool_calls }, null), chunk({}, "tool_calls")]
  }
}

const messages: Dialect = {
  path: /\/v1\/messages$/,
  resultIn: ({ content, type }) => (type === "tool_result" ? content : undefined),
  events: (turn) => {
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      usage
    }
    const [content_block, delta, stop_reason] =
      "text" in turn
        ? [{ type: "text", text: "" }, { type: "text_delta", text: turn.text }, "end_turn"]
        : [
            { type: "tool_use", id: turn.id, name: turn.name, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(turn.input) },
            "tool_use"
          ]
    return [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" }
    ]
  }
}

const gemini: Dialect = {
  path: /[gG]enerateContent$/,
  resultIn: ({ functionResponse }) =>
    isRecord(functionResponse) ? functionResponse["response"] : undefined,
  events: (turn) => {
    const part =
      "text" in turn
        ? { text: turn.text }
        : { functionCall: { id: turn.id, name: turn.name, args: turn.input } }
    return [
      {
        candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
      }
    ]
  }
}

const dialects = [responses, chatCompletions, messages, gemini]

const stream = (response: ServerResponse, events: ReadonlyArray<Json>) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) {
    const name = typeof event["type"] === "string" ? `event: ${event["type"]}\n` : ""
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

export interface ScriptedModel {
  readonly url: string
  /** Starts a new conversation. */
  readonly play: (calls: ReadonlyArray<ToolCall>) => void
  /** What the host has sent in this conversation. */
  readonly received: () => {
    readonly tools: ReadonlyArray<string>
    readonly results: ReadonlyArray<string>
  }
  readonly close: () => void
}

export const startModel = async (): Promise<ScriptedModel> => {
  let script: ReadonlyArray<ToolCall> = []
  let received: ReturnType<ScriptedModel["received"]> = { tools: [], results: [] }

  const next = (body: Json, { resultIn }: Dialect): Turn => {
    const offered = toolsIn(body["tools"])
    const names = offered.map(({ name }) => name)
    const results = recordsIn([body["input"], body["messages"], body["contents"]]).flatMap(
      (part) => {
        const result = resultIn(part)
        return result === undefined ? [] : [JSON.stringify(result)]
      }
    )
    const call = script[results.length]
    const tool = offered.find(({ name }) => call !== undefined && name.endsWith(call.tool))
    // Hosts also ask for titles and summaries, without tools.
    if (names.length > 0) received = { tools: names, results }
    if (call === undefined || tool === undefined) return { text: "Done." }
    return { ...tool, id: `call_${results.length}`, input: call.arguments }
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const path = pathname.replace(/:(\w+)$/, "/$1")
    const dialect = dialects.find((each) => each.path.test(path))
    if (request.method !== "POST" || dialect === undefined) {
      response.writeHead(404, { "content-type": "application/json" }).end("{}")
      return
    }
    void json(request).then((body) => {
      if (isRecord(body)) stream(response, dialect.events(next(body, dialect)))
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play: (calls) => {
      script = calls
      received = { tools: [], results: [] }
    },
    received: () => received,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
