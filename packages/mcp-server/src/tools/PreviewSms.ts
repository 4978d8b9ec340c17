/**
 * The tool `preview_sms`.
 */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scopes from "../Scopes.ts"
import { filled } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

const maxCharacters = 50

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const describe = ({
  encoding,
  remaining,
  segments,
  ucs2Characters
}: SmsText.SmsPreview): string => {
  const size = `The text takes ${plural(segments, "segment")} in ${encoding}, with room for ${plural(remaining, "more unit")} in the last one.`
  if (ucs2Characters.length === 0) return size
  const shown = ucs2Characters.slice(0, maxCharacters).map((character) => JSON.stringify(character))
  return `${size} Without ${shown.join(" ")}${ucs2Characters.length > maxCharacters ? " and others" : ""} it would fit GSM-7, which takes fewer segments.`
}

const { encoding, remaining, segments, ucs2Characters } = SmsText.SmsPreview.fields

/** Without the units, which a model does not need. */
const Output = Schema.Struct({ segments, encoding, remaining, ucs2_characters: ucs2Characters })

export const previewSms = Tool.make({
  name: "preview_sms",
  title: "Preview an SMS",
  description:
    "Counts the segments of a text; each costs. Free; sends nothing. A unit is a septet (GSM-7) or a UTF-16 code unit (UCS-2).",
  annotations: { ...Tool.readOnly, openWorldHint: false },
  scope: Scopes.messagesRead,
  input: Schema.Struct({
    message: filled(Schema.String.annotate({ description: "Text of the message" }))
  }),
  output: Output,
  run: ({ message }) => {
    const preview = SmsText.preview(message)
    return Effect.succeed({
      text: describe(preview),
      data: {
        segments: preview.segments,
        encoding: preview.encoding,
        remaining: preview.remaining,
        ucs2_characters: preview.ucs2Characters.slice(0, maxCharacters)
      }
    })
  }
})
