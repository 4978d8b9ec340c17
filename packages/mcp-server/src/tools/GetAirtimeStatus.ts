/** The tool `get_airtime_status`. */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { reading } from "../send/ServiceFailure.ts"
import { ReferenceCode } from "./ToolSchema.ts"
import * as StatusRecords from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"

export const getAirtimeStatus = Tool.make({
  name: "get_airtime_status",
  title: "Get airtime status",
  description: `Reads one airtime purchase. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: ReferenceCode,
  output: StatusRecords.output,
  run: ({ referencecode }) =>
    MessagingTopup.use((service) => service.getAirtimeStatus(referencecode)).pipe(
      reading("airtime purchase"),
      Effect.flatMap((response) => StatusRecords.resultOf("airtime purchase", response))
    )
})
