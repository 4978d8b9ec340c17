/** The results of status tools: a list of records. */
import type { StatusResponse } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isoOf, plural, sentences, timeOf } from "../Sentences.ts"
import { listed, type ToolResult, unreadableReason } from "./ToolResult.ts"

/** The service documents no status, so a model must not act on what it takes one to mean. */
export const statusAdvice =
  "What a status means is not documented: do nothing on its strength, such as a second send, without asking the person."

export const noRecord = (what: string): string => `The service has no record of this ${what}.`

export const output = { total: "integer", data: "array" } as const

/** A model knows neither the time nor the zone of such a date, and would guess which records are of today. */
const aboutDates = (now: number) =>
  `A date without a time zone may be in any; it is ${timeOf(now)} now.`

/** Without it, a model takes a record for that of the text which the person means. */
export const noText =
  "No text is stored: do not say which text was sent, unless you have the result of its call."

/** `what` names what the records are about, such as "SMS". */
export const resultOf = <A extends { readonly date_created?: string | undefined }>(
  what: string,
  { data: records, unreadable = 0 }: StatusResponse<A>,
  advice = ""
) =>
  Effect.map(Clock.currentTimeMillis, (now): ToolResult => {
    const total = records.length + unreadable
    const isDated = records.some(({ date_created }) => date_created !== undefined)
    return {
      message:
        total === 0
          ? noRecord(what)
          : `The service returned ${plural(total, "record")} for this ${what}.`,
      ...(total === 0
        ? {}
        : { next: sentences(statusAdvice, isDated ? aboutDates(now) : "", advice) }),
      total,
      ...(isDated ? { now: isoOf(now) } : {}),
      ...listed({ data: records }, { [unreadableReason]: unreadable })
    }
  })
