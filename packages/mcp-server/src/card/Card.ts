/**
 * The approval card: a page that a host shows with the result of a call, where the client has no form to ask a person.
 *
 * Two locks keep a model from deciding: hosts list `decide_sms` for the page alone, and the sealed
 * question is in `_meta`, which hosts give to the page. Source: MCP Apps,
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { approvalInvalid, Notice, type Pending } from "../send/Approval.ts"
import { nothingSent, Refusal } from "../send/Refusal.ts"
import { shown } from "../send/ShownTexts.ts"
import { about, outcomeOf } from "../send/Standing.ts"
import { isoOf } from "../Sentences.ts"
import { sendSms } from "../tools/SendSms.ts"
import { sendSmsBatch } from "../tools/SendSmsBatch.ts"
import { invalidArguments, refused, type Tool } from "../tools/Tool.ts"
import { type Rendered, render } from "../tools/ToolResult.ts"
import * as ToolSchema from "../tools/ToolSchema.ts"

export const mimeType = "text/html;profile=mcp-app"

export const uri = "ui://messaging-topup/approval"

const extension = "io.modelcontextprotocol/ui"

const isDeclared = Schema.is(
  Schema.Struct({
    extensions: Schema.Struct({
      [extension]: Schema.Struct({ mimeTypes: Schema.Array(Schema.String) })
    })
  })
)

/** Whether a client with these capabilities shows the card. */
export const isShownBy = (capabilities: unknown): boolean =>
  isDeclared(capabilities) && capabilities.extensions[extension].mimeTypes.includes(mimeType)

/** All that the page shows, and the sealed question that it returns as `state`. */
const contentOf = ({ expiresAt, notice, question, sealed }: Pending) => {
  const { asked, facts } = question
  const texts = question.texts.map(({ text, to }) => ({ text: shown(text), to }))
  return { state: sealed, notice, asked, facts, texts, expiresAt: isoOf(expiresAt) }
}

const decideName = "decide_sms"

/** The call ends with a card, which the host shows beside this result. */
export const confirmationOnCard = (expiresAt: number): Refusal =>
  new Refusal({
    code: "confirmation_on_card",
    ...nothingSent("the person is asked first, on a card that the host shows with this result"),
    next: `Wait for the person. If they see no card, tell them that this host shows none, and that this call sends nothing. The question expires at ${isoOf(expiresAt)}.`
  })

/** The result of a call that ends with a card. The card makes the call again, with the reply. */
export const resultOf = (pending: Pending, tool: string, args: unknown): Rendered => {
  const standings = pending.all.map(({ standing }) => standing)
  const outcome = outcomeOf(standings)
  const { code, next, what } = about(confirmationOnCard(pending.expiresAt), true, ...standings)
  // A card that is asked again knows its call.
  const call = tool === decideName ? {} : { call: { tool, arguments: args } }
  return {
    ...render(pending.notice, { message: what, next, code, outcome, sent_by_this_call: false }),
    _meta: { "messaging-topup/approval": { ...contentOf(pending), ...call } }
  }
}

const tools = { send_sms: sendSms, send_sms_batch: sendSmsBatch }

const { decode, schema } = ToolSchema.ofArguments(
  Schema.Struct({
    tool: Schema.Literals(["send_sms", "send_sms_batch"]),
    arguments: Schema.Unknown,
    state: Schema.String,
    action: Schema.Literals(["accept", "decline"])
  })
)

/** The tool that only the page may call. */
export const decideSms: Tool = {
  ...sendSmsBatch,
  name: decideName,
  title: "Decide about SMS",
  description: "Only for the approval card: takes the reply of the person.",
  inputSchema: schema,
  call: Effect.fnUntraced(function* (args, caller) {
    const decoded = decode(args)
    const { person } = caller
    const notice = yield* Notice
    if (Result.isFailure(decoded)) return refused(notice, invalidArguments(decoded.failure), false)
    if (person === undefined) {
      // Without its question, nothing is known of what it was about.
      const nothingKnown = { total: 1, sent: 0, decided: 0, inDoubt: 1 }
      return refused(notice, approvalInvalid.about("unknown", nothingKnown), false)
    }
    const { action, arguments: given, state: sealed, tool } = decoded.success
    return yield* tools[tool].call(given, { ...caller, person: { ...person, action, sealed } })
  })
}
