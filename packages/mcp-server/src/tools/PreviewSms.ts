/** The tool `preview_sms`. */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { checker } from "../send/Plan.ts"
import * as Recipient from "../send/Recipient.ts"
import { invalidArguments } from "../send/Refusals.ts"
import type { Rules } from "../send/Rules.ts"
import { Sender } from "../send/Sender.ts"
import { plural, sentences } from "../send/Text.ts"
import { maxEntries, nonEmpty, oneLine } from "./TextArgument.ts"
import { fit, leftOut, tooLongReason } from "./ToolResult.ts"
import * as Tool from "./Tool.ts"

const maxCharacters = 50

/** What the guards would say of each recipient alone. */
const problemsOf = (rules: Rules, recipients: ReadonlyArray<string>, message: string) => {
  const check = checker(rules)
  return recipients.flatMap((recipient) => {
    const checked = check({ recipient, message })
    if (Result.isFailure(checked)) {
      return [{ recipient, problem: `it cannot be sent: ${checked.failure.problem}` }]
    }
    return Recipient.countryOf(checked.success.request.recipient) === undefined
      ? [{ recipient, problem: "no + and country code: ask the person for it" }]
      : []
  })
}

export const previewSms = Tool.make({
  name: "preview_sms",
  title: "Preview an SMS",
  description:
    "Counts the segments of a text; each costs. With recipients, checks them. Names characters that force UCS-2. Free.",
  annotations: Tool.local,
  input: Schema.Struct({
    message: nonEmpty(Schema.String.annotate({ description: "Text" })),
    recipients: Schema.optionalKey(
      Schema.Array(oneLine(Schema.String)).annotate({ description: "Its recipients" })
    )
  }),
  output: {
    segments: "integer",
    encoding: "string",
    ucs2_characters: "array",
    problems: "array"
  },
  run: Effect.fnUntraced(function* ({ message, recipients = [] }) {
    if (recipients.length > maxEntries) {
      return yield* invalidArguments(`recipients: give at most ${maxEntries}`)
    }
    const { encoding, segments, ucs2Characters } = SmsText.preview(message)
    const characters = ucs2Characters.slice(0, maxCharacters)
    const { rules } = yield* Sender
    const found = problemsOf(rules, recipients, message)
    const problems = fit(found)
    return {
      message: sentences(
        `The text takes ${plural(segments, "segment")} in ${encoding}.`,
        found.length === 0
          ? ""
          : `Of ${plural(recipients.length, "recipient")}, ${found.length} ${found.length === 1 ? "has a problem" : "have problems"}.`
      ),
      segments,
      encoding,
      ...(characters.length === 0 ? {} : { ucs2_characters: characters }),
      ...(found.length === 0 ? {} : { problems: problems.shown }),
      ...leftOut({
        [tooLongReason]: ucs2Characters.length - characters.length + problems.tooLong
      })
    }
  })
})
