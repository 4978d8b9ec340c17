/** What nobody means, or seldom, as the text, the sender or the time of an SMS: what was not filled, or not read. */
import type { SendSmsRequest } from "@messaging-topup/core"
import {
  type Doubtful,
  doubtfulIn,
  scheduledAt,
  type Unmeant,
  unmeant
} from "@messaging-topup/core/internal"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { nothingSent, Refusal } from "./Refusal.ts"
import { quoted } from "../Visible.ts"

/** No sender, time or recipient has more characters. A question shows each whole, so the tools take no longer one. */
export const maxShown = 80

/** What a person does not write as text: a number has checks of its own, and the operator gives the address. */
type NotWritten = "recipient" | "webhook_url"

/** The fields that a person writes, and what a question calls them. */
const written = {
  message: "text",
  sender_id: "sender",
  scheduled_time: "time"
} as const satisfies Record<Exclude<keyof SendSmsRequest, NotWritten>, string>

export const writtenFields = Struct.keys(written)

const doubts: Record<Doubtful["why"], string> = {
  misread: "UTF-8 that was read as another encoding",
  "no-time": "not a time, because it has no digit",
  "no-value": "a word of programs for no value",
  placeholder: "a placeholder that nobody filled",
  "spreadsheet-error": "an error of a spreadsheet"
}

/** What somebody may mean, but seldom. */
export interface Doubt {
  /** What a question calls the field. */
  readonly field: string
  readonly value: string
  readonly what: string
}

/** A model that does not know the date takes another year. */
const passedIn = (request: SendSmsRequest, now: number): ReadonlyArray<Doubt> => {
  const value = request.scheduled_time ?? ""
  const at = scheduledAt(request)
  const what = `${quoted(value, maxShown)}, which has passed`
  return at !== undefined && at < now ? [{ field: written.scheduled_time, value, what }] : []
}

/** `now` is in milliseconds since 1970. */
export const doubtsIn = (request: SendSmsRequest, now: number): ReadonlyArray<Doubt> => [
  ...writtenFields.flatMap((name) => {
    const value = request[name] ?? ""
    return doubtfulIn(name, value).map(({ why, word }) => ({
      field: written[name],
      value,
      what: `${quoted(word, maxShown)}, perhaps ${doubts[why]}`
    }))
  }),
  ...passedIn(request, now)
]

const problems: Record<Unmeant, string> = {
  "control-character": "has a control character, which no phone shows",
  invisible: "has no visible character",
  markup: "has the tag <parameter>, with which another argument begins or ends",
  "no-value": "is a word of programs for no value",
  object: "has [object …], which a program writes for what is no text",
  placeholder: "has a placeholder such as {{name}} that nobody filled",
  "spreadsheet-error": "is an error of a spreadsheet",
  unreadable: "has �, which a program writes for a letter that it cannot read"
}

/** Refuses what nobody means. */
export const checkMeant = (
  field: keyof typeof written,
  value: string
): Result.Result<void, Refusal> => {
  const wrong = unmeant(value)
  if (wrong === undefined) return Result.void
  return Result.fail(
    new Refusal({
      code: "invalid_arguments",
      ...nothingSent(`its ${field} ${problems[wrong]}`),
      next: "Correct it with the person, and do not guess."
    })
  )
}
