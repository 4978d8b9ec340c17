/**
 * The tool `get_airtime_status`.
 */
import { AirtimeStatusRecord, MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failedRead } from "../send/ServiceFailure.ts"
import { nonEmpty } from "./TextArgument.ts"
import * as StatusRecords from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"

export const getAirtimeStatus = Tool.make({
  name: "get_airtime_status",
  title: "Get airtime status",
  description: `Reads the history of one airtime purchase. Free; buys nothing. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Schema.Struct({
    referencecode: nonEmpty(Schema.String.annotate({ description: "Reference code" }))
  }),
  output: StatusRecords.outputOf(AirtimeStatusRecord),
  run: Effect.fnUntraced(function* ({ referencecode }) {
    const service = yield* MessagingTopup
    const response = yield* Effect.mapError(
      service.getAirtimeStatus(referencecode),
      failedRead("airtime purchase")
    )
    return StatusRecords.resultOf("airtime purchase", response)
  })
})
