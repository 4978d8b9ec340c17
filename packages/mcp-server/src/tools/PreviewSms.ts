/** The tool `preview_sms`. */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sender } from "../send/Sender.ts"
import { plural, sentences } from "../Sentences.ts"
import { listed } from "./ToolResult.ts"
import { nonEmpty } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"

const maxCharacters = 50

/** How many segments a text takes without these characters. */
const segmentsWithout = (message: string, characters: ReadonlyArray<string>): number => {
  const left = new Set(characters)
  const rest = Array.from(message).filter((character) => !left.has(character))
  return SmsText.preview(rest.join("")).segments
}

export const previewSms = Tool.make({
  name: "preview_sms",
  title: "Preview an SMS",
  description: "Counts segments, and names what forces UCS-2.",
  annotations: Tool.local,
  input: Schema.Struct({
    message: nonEmpty(Schema.String.annotate({ description: "Text" }))
  }),
  output: { segments: "integer", encoding: "string", ucs2_characters: "array" },
  run: Effect.fnUntraced(function* ({ message }) {
    const { encoding, segments, ucs2Characters } = SmsText.preview(message)
    const { maxSegments } = (yield* Sender).rules
    const without = segmentsWithout(message, ucs2Characters)
    return {
      message: sentences(
        `Each SMS of this text takes ${plural(segments, "segment")} in ${encoding}.`,
        segments > maxSegments ? `It is not sent: this server allows ${maxSegments}.` : "",
        without < segments ? `Without the characters that force UCS-2, it takes ${without}.` : ""
      ),
      segments,
      encoding,
      ...listed(
        { ucs2_characters: ucs2Characters.slice(0, maxCharacters) },
        { [`beyond the first ${maxCharacters}`]: ucs2Characters.length - maxCharacters }
      )
    }
  })
})
