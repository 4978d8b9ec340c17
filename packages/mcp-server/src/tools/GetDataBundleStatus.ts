/**
 * The tool `get_data_bundle_status`.
 */
import { GetDataBundleStatusResponse, MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { clipAll } from "../send/Text.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import { statusAdvice } from "./StatusRecords.ts"
import { nonEmpty } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

export const getDataBundleStatus = Tool.make({
  name: "get_data_bundle_status",
  title: "Get data bundle status",
  description: `Reads the status of one data bundle purchase. Free; buys nothing. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Schema.Struct({
    referencecode: nonEmpty(Schema.String.annotate({ description: "Reference code" }))
  }),
  output: GetDataBundleStatusResponse,
  run: Effect.fnUntraced(function* ({ referencecode }) {
    const service = yield* MessagingTopup
    const purchase = yield* Effect.mapError(
      service.getDataBundleStatus(referencecode),
      failedRead("data bundle purchase")
    )
    return {
      message: "The service has this data bundle purchase.",
      next: statusAdvice,
      ...clipAll(purchase)
    }
  })
})
