/**
 * An assistant's session with the MCP server: it sends an SMS after a person's approval, and reads its status.
 * Then it meets a duplicate and a lost response.
 */
import type { CallToolResult, Client } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { bad, good, heading, line, warn } from "./terminal.ts"

const sms = { recipient: "+15550100123", message: "Table ready" }

/** The sandbox accepts this SMS and loses the response. */
const lost = { ...sms, recipient: "+15550000900" }

/** Every text of a server with `--sandbox` begins with this. Here all of them would. */
const withoutNote = (text: string): string => text.replace(/^\[Sandbox: [^\]]+\] /, "")

/** The beginning of what the assistant reads. */
const textOf = ({ content }: CallToolResult): string => {
  const [first] = content
  const [sentences = ""] = first?.type === "text" ? withoutNote(first.text).split("\n") : []
  return sentences.length > 65 ? `${sentences.slice(0, 65).replace(/\W*\w*$/, "")} …` : sentences
}

const messageIdOf = ({ structuredContent }: CallToolResult): string =>
  /"message_id":"([^"]+)"/.exec(JSON.stringify(structuredContent))?.[1] ?? ""

/** A faster decision counts as one that the client made by itself. */
const readingTime = "400 millis"

/** Plays the person whom the server asks: shows the question, reads it, and approves. */
export const approve = (client: Client): void => {
  client.setRequestHandler("elicitation/create", ({ params }) =>
    Effect.gen(function* () {
      yield* line("asked", warn(withoutNote(params.message)))
      yield* Effect.sleep(readingTime)
      yield* line("person", good("yes"))
      return { action: "accept" as const, content: { decision: "Send" } }
    }).pipe(Effect.runPromise)
  )
}

export const assistantSession = Effect.fnUntraced(function* (client: Client) {
  const call = Effect.fnUntraced(function* (name: string, args: Record<string, unknown>) {
    yield* line("assistant", `${name} ${JSON.stringify(args)}`)
    const result = yield* Effect.promise(() => client.callTool({ name, arguments: args }))
    yield* line("server", result.isError === true ? bad(textOf(result)) : textOf(result))
    return result
  })

  const { tools } = yield* Effect.promise(() => client.listTools())
  yield* heading("An assistant, over MCP")
  yield* line("protocol", `${client.getNegotiatedProtocolVersion()}, ${tools.length} tools`)

  const message_id = messageIdOf(yield* call("send_sms", sms))
  yield* call("get_sms_status", { message_id })

  yield* heading("The same SMS again")
  yield* call("send_sms", sms)

  yield* heading("A lost response")
  yield* call("send_sms", lost)
  yield* call("send_sms", lost)
})
