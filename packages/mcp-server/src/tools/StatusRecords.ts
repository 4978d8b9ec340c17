/** The results of status tools: a list of records. */
import type { StatusResponse } from "@messaging-topup/core"
import { plural } from "../Sentences.ts"
import { listed, type ToolResult, unreadableReason } from "./ToolResult.ts"

/** The service documents no status, so a model must not act on what it takes one to mean. */
export const statusAdvice =
  "What a status means is not documented: do nothing on its strength, such as a second send, without asking the person."

export const output = { total: "integer", data: "array" } as const

/** `what` names what the records are about, such as "SMS". */
export const resultOf = <A extends object>(
  what: string,
  { data: records, unreadable = 0 }: StatusResponse<A>
): ToolResult => {
  const total = records.length + unreadable
  return {
    message:
      total === 0
        ? `The service has no record of this ${what}.`
        : `The service has ${plural(total, "record")} of this ${what}.`,
    ...(total === 0 ? {} : { next: statusAdvice }),
    total,
    ...listed(records, { [unreadableReason]: unreadable })
  }
}
