/** The tool `get_data_bundle_status`. */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { clipAll } from "../Visible.ts"
import { reading } from "../send/ServiceFailure.ts"
import { statusAdvice } from "./StatusRecords.ts"
import { ReferenceCode } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"

export const getDataBundleStatus = Tool.make({
  name: "get_data_bundle_status",
  title: "Get data bundle status",
  description: `Reads one data bundle purchase. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: ReferenceCode,
  output: { status: "string" },
  run: ({ referencecode }) =>
    MessagingTopup.use((service) => service.getDataBundleStatus(referencecode)).pipe(
      reading("data bundle purchase"),
      Effect.map((purchase) => ({
        message: "The service has this data bundle purchase.",
        next: statusAdvice,
        ...clipAll(purchase)
      }))
    )
})
