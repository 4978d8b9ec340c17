/**
 * The tool `get_sms_status`.
 */
import { MessagingTopup, SmsStatusRecord } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scopes from "./Scopes.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import { nonEmpty } from "./TextArgument.ts"
import * as StatusRecords from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"

export const getSmsStatus = Tool.make({
  name: "get_sms_status",
  title: "Get SMS status",
  description: `Reads the status of one SMS. Free; sends nothing. Which one is final is not documented: quote it. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  scope: Scopes.messagesRead,
  input: Schema.Struct({
    message_id: nonEmpty(
      Schema.String.annotate({ description: "Id of the message, from its send" })
    )
  }),
  output: StatusRecords.outputOf(SmsStatusRecord),
  run: Effect.fnUntraced(function* ({ message_id }) {
    const service = yield* MessagingTopup
    const response = yield* Effect.mapError(
      service.getSmsStatus(message_id),
      failedRead("SMS status")
    )
    return StatusRecords.resultOf("SMS", response)
  })
})
