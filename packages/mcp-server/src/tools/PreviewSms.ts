/** The tool `preview_sms`. */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { checker, countryOf, tooManyRows, tooManySegments } from "../send/Plan.ts"
import { Journal } from "../send/Journal.ts"
import { limitReached, type Rules } from "../send/Rules.ts"
import { Sender } from "../send/Sender.ts"
import { plural, sentences } from "../Sentences.ts"
import { maxEntries, nonEmpty, oneLine } from "./ToolSchema.ts"
import { fit, leftOut, tooLongReason } from "./ToolResult.ts"
import * as Tool from "./Tool.ts"

const maxCharacters = 50

/** How many segments a text takes with a plain letter in place of each of these characters. */
const plainSegments = (message: string, characters: ReadonlyArray<string>): number => {
  const replaced = new Set(characters)
  const plain = Array.from(message, (character) => (replaced.has(character) ? "x" : character))
  return SmsText.preview(plain.join("")).segments
}

/** What the guards would say of each recipient alone. */
const problemsOf = (rules: Rules, recipients: ReadonlyArray<string>) => {
  const check = checker(rules)
  return recipients.flatMap((recipient) => {
    const checked = check({ recipient, message: "" })
    if (Result.isFailure(checked)) {
      return [{ recipient, problem: `it cannot be sent: ${checked.failure.problem}` }]
    }
    return countryOf(checked.success.request.recipient) === undefined
      ? [{ recipient, problem: "no + and country code: ask the person for it" }]
      : []
  })
}

/** Why a call with so many SMS would be refused now, whoever they go to; undefined if it would not. */
const limitOf = Effect.fnUntraced(function* (rules: Rules, messages: number, segments: number) {
  if (!rules.canSend || messages === 0) return undefined
  if (segments > rules.maxSegments) return tooManySegments(segments, rules.maxSegments).problem
  if (messages > rules.maxBatch) return tooManyRows(messages, rules.maxBatch).problem
  const { use } = yield* Journal
  // Without the journal, the send says that nothing can be sent.
  const reached = yield* Effect.orElseSucceed(
    use(({ server }) => server.limit(rules.maxSendsPerHour, messages)),
    () => undefined
  )
  return reached && limitReached(reached, messages).problem
})

export const previewSms = Tool.make({
  name: "preview_sms",
  title: "Preview an SMS",
  description:
    "Counts segments, names characters that force UCS-2, and checks recipients and limits.",
  annotations: Tool.local,
  input: Schema.Struct({
    message: nonEmpty(Schema.String.annotate({ description: "Text" })),
    recipients: Schema.optionalKey(
      Schema.Array(oneLine(Schema.String))
        .annotate({ description: "Its recipients" })
        .check(Schema.isMaxLength(maxEntries))
    )
  }),
  output: {
    segments: "integer",
    encoding: "string",
    ucs2_characters: "array",
    problems: "array"
  },
  run: Effect.fnUntraced(function* ({ message, recipients = [] }) {
    const { encoding, segments, ucs2Characters } = SmsText.preview(message)
    const characters = ucs2Characters.slice(0, maxCharacters)
    const plain = plainSegments(message, ucs2Characters)
    const { rules } = yield* Sender
    const found = problemsOf(rules, recipients)
    const problems = fit(found)
    const limit = yield* limitOf(rules, recipients.length, segments)
    const isFine =
      rules.canSend && recipients.length > 0 && found.length === 0 && limit === undefined
    return {
      message: sentences(
        `The text takes ${plural(segments, "segment")} in ${encoding}.`,
        plain < segments ? `With plain letters for ucs2_characters, it takes ${plain}.` : "",
        found.length === 0
          ? ""
          : `Of ${plural(recipients.length, "recipient")}, ${found.length} ${found.length === 1 ? "has a problem" : "have problems"}.`,
        limit === undefined
          ? ""
          : `It cannot be sent${recipients.length === 1 ? "" : " to all of them"}: ${limit}.`,
        // Earlier sends are found by the sender and the time, too.
        isFine
          ? `${recipients.length === 1 ? "The number" : `All ${recipients.length} numbers`}, the length and the limits allow it now; whether it was sent before is not checked.`
          : ""
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
