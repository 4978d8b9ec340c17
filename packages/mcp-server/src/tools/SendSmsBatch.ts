/**
 * The tool `send_sms_batch`.
 */
import { SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Pending } from "../send/Pending.ts"
import { invalidArguments } from "../send/Refusal.ts"
import { SendBatches } from "../send/SendBatches.ts"
import { sentences } from "../send/Text.ts"
import * as BatchResult from "./BatchResult.ts"
import { filled, nonEmpty, oneLine } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

const { message, recipient, sender_id } = SendSmsRequest.fields

const Input = Schema.Struct({
  message: Schema.optionalKey(
    filled(Schema.String.annotate({ description: "One text for all recipients" }))
  ),
  recipients: Schema.optionalKey(
    Schema.Array(oneLine(Schema.String)).annotate({ description: "With message" })
  ),
  rows: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        recipient: nonEmpty(oneLine(recipient.annotate({ description: "Number" }))),
        message: nonEmpty(message.annotate({ description: "Text" }))
      })
    ).annotate({ description: "Instead, where texts differ" })
  ),
  sender_id: Schema.optionalKey(oneLine(sender_id.schema))
})

/** Returns the SMS, or nothing if the arguments are not in one of the two forms. */
const requestsOf = (
  args: typeof Input.Type
): ReadonlyArray<typeof SendSmsRequest.Type> | undefined => {
  const { recipients, rows, sender_id: sender } = args
  const from = sender === undefined ? {} : { sender_id: sender }
  if (args.message === undefined) {
    return recipients === undefined ? rows?.map((row) => ({ ...row, ...from })) : undefined
  }
  const text = args.message
  return rows === undefined
    ? recipients?.map((to) => ({ recipient: to, message: text, ...from }))
    : undefined
}

export const sendSmsBatch = Tool.make({
  name: "send_sms_batch",
  title: "Send many SMS",
  description: (offers) =>
    sentences(
      "Sends one real SMS to each recipient; a person approves all once. Tell them recipients and text first. Each segment costs money. Each goes out at most once: the same call again reports, and sends only what was not sent.",
      offers("preview_sms") ? "preview_sms first." : ""
    ),
  annotations: Tool.sending,
  input: Input,
  output: BatchResult.Output,
  run: Effect.fnUntraced(function* (args, caller) {
    const batches = yield* SendBatches
    const requests = requestsOf(args)
    if (requests === undefined || requests.length === 0) {
      return yield* invalidArguments("give message and recipients, or else rows; at least one")
    }
    const run = yield* batches.send(caller, requests)
    return run instanceof Pending ? run : BatchResult.make(run, yield* Tool.IsOffered)
  })
})
