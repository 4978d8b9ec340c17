/**
 * The tool `preview_sms`.
 */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scopes from "./Scopes.ts"
import { leftOut, tooLongReason } from "./ToolResult.ts"
import { plural } from "../send/Text.ts"
import { nonEmpty } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

/**
 * The usual GSM-7 replacements, each with the characters that force UCS-2 and that it replaces. Letters with accents are left out: another
 * letter makes another word.
 */
const charactersByReplacement: Readonly<Record<string, string>> = {
  "'": "‘’‚‛′ʼ´`",
  '"': "“”„‟″«»",
  "-": "‐‑‒–—―−•",
  "...": "…",
  " ": "\t\u00a0\u2002\u2003\u2007\u2009\u200a\u202f",
  "": "\u200b\u2060\ufeff\u00ad",
  x: "×"
}

const replacements = new Map(
  Object.entries(charactersByReplacement).flatMap(([replacement, characters]) =>
    [...characters].map((character) => [character, replacement] as const)
  )
)

/** Replaces every character that has a replacement. */
const withReplacements = (text: string): string =>
  [...text].map((character) => replacements.get(character) ?? character).join("")

const maxCharacters = 50

const Output = Schema.Struct({
  segments: Schema.Int,
  encoding: Schema.Literals(["GSM-7", "UCS-2"]),
  units: Schema.Int,
  units_per_segment: Schema.Int,
  remaining: Schema.Int,
  /** The characters that force UCS-2, each with its usual replacement. */
  ucs2_characters: Schema.Array(
    Schema.Struct({ character: Schema.String, replacement: Schema.optionalKey(Schema.String) })
  ),
  segments_if_replaced: Schema.optionalKey(Schema.Int)
})

const charactersOf = ({ ucs2Characters }: SmsText.SmsPreview) =>
  ucs2Characters.slice(0, maxCharacters).map((character) => {
    const replacement = replacements.get(character)
    return { character, ...(replacement === undefined ? {} : { replacement }) }
  })

const sizeOf = ({
  encoding,
  remaining,
  segments,
  units,
  unitsPerSegment
}: SmsText.SmsPreview): string =>
  `The text takes ${plural(segments, "segment")} in ${encoding}: ${plural(units, "unit")}, ${unitsPerSegment} to a segment, ${remaining} free in the last one.`

/** Advises replacements only if they save segments. The person decides whether the text may change. */
const advice = (before: SmsText.SmsPreview, after: SmsText.SmsPreview): string | undefined =>
  after.segments < before.segments
    ? `With the replacements it takes ${plural(after.segments, "segment")} in ${after.encoding}: ask the person whether the text may be changed.`
    : undefined

export const previewSms = Tool.make({
  name: "preview_sms",
  title: "Preview an SMS",
  description:
    "Counts the segments of a text; each costs. Free; sends nothing. A unit is a septet (GSM-7) or a UTF-16 code unit (UCS-2). For characters that force UCS-2 it names usual replacements.",
  annotations: { ...Tool.readOnly, openWorldHint: false },
  scope: Scopes.messagesRead,
  input: Schema.Struct({
    message: nonEmpty(Schema.String.annotate({ description: "Text of the message" }))
  }),
  output: Output,
  run: ({ message }) => {
    const preview = SmsText.preview(message)
    const characters = charactersOf(preview)
    const after = characters.some(({ replacement }) => replacement !== undefined)
      ? SmsText.preview(withReplacements(message))
      : undefined
    const next = after === undefined ? undefined : advice(preview, after)
    return Effect.succeed({
      message: sizeOf(preview),
      ...(next === undefined ? {} : { next }),
      segments: preview.segments,
      encoding: preview.encoding,
      units: preview.units,
      units_per_segment: preview.unitsPerSegment,
      remaining: preview.remaining,
      ...(after === undefined ? {} : { segments_if_replaced: after.segments }),
      ucs2_characters: characters,
      ...leftOut({
        [tooLongReason]: preview.ucs2Characters.length - characters.length
      })
    })
  }
})
