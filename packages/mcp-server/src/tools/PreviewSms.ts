/**
 * The tool `preview_sms`.
 */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { problemOf } from "../send/BatchRefusals.ts"
import type { Caller } from "../send/Caller.ts"
import type { SendLimit } from "../send/PlannedSend.ts"
import * as Recipient from "../send/Recipient.ts"
import { SendGuard } from "../send/SendGuard.ts"
import { SendMemory } from "../send/SendMemory.ts"
import { plural, sentences, visible } from "../send/Text.ts"
import { nonEmpty, oneLine } from "./TextArgument.ts"
import { leftOut, tooLongReason } from "./ToolResult.ts"
import * as Tool from "./Tool.ts"
import * as ToolSchema from "./ToolSchema.ts"

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

const maxTextLength = 2_000

/** Whether a result shows the text as it is: a model would send what it sees. */
const isExact = (text: string): boolean => text.length <= maxTextLength && visible(text) === text

const Output = Schema.Struct({
  segments: Schema.Int,
  encoding: Schema.Literals(["GSM-7", "UCS-2"]),
  units: Schema.Int,
  units_per_segment: Schema.Int,
  remaining: Schema.Int,
  /** The characters that force UCS-2, each with its usual replacement. */
  ucs2_characters: ToolSchema.Records,
  segments_if_replaced: Schema.optionalKey(Schema.Int),
  text_if_replaced: Schema.optionalKey(Schema.String),
  recipient: Schema.optionalKey(Schema.String),
  sends_left_this_hour: Schema.optionalKey(Schema.Int),
  segments_left_today: Schema.optionalKey(Schema.Int)
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

/** What the preview says of a recipient. */
interface Checked {
  readonly problem?: string
  readonly recipient?: string
  readonly sends_left_this_hour?: number
  readonly segments_left_today?: number
}

/** What is left of the limits: nothing where no tool sends, or where it is not known. */
const leftFor = (caller: Caller) =>
  Effect.gen(function* () {
    const { limits, sendingOff } = (yield* SendGuard).rulesOf(caller)
    if (sendingOff !== undefined) return {}
    const left = yield* SendMemory.use((memory) => memory.left(limits))
    const least = (counts: SendLimit["counts"]) =>
      Math.min(...left.filter((_, at) => limits[at]?.counts === counts))
    return { sends_left_this_hour: least("messages"), segments_left_today: least("segments") }
  }).pipe(Effect.orElseSucceed(() => ({})))

/**
 * Says whether the guards would let it pass, as far as they look at this SMS alone, and what is left of the
 * limits. The preview of a text alone reads no state.
 */
const checkOf = (caller: Caller, recipient: string, message: string) =>
  Effect.gen(function* () {
    const guard = yield* SendGuard
    const left = yield* leftFor(caller)
    const checked = yield* Effect.result(guard.check(caller, { recipient, message }))
    if (Result.isFailure(checked)) {
      return { ...left, problem: `It cannot be sent: ${problemOf(checked.failure)}.` }
    }
    const sentTo = checked.success.recipient
    return {
      ...left,
      recipient: sentTo,
      ...(Recipient.isInternational(sentTo)
        ? {}
        : { problem: "The recipient has no + and country code: ask the person for it." })
    }
  })

export const previewSms = Tool.make({
  name: "preview_sms",
  title: "Preview an SMS",
  description:
    "Counts the segments of a text; each costs. Free; sends nothing. With a recipient, checks it and says what is left of the limits. For characters that force UCS-2 it names usual replacements.",
  annotations: Tool.local,
  input: Schema.Struct({
    message: nonEmpty(Schema.String.annotate({ description: "Text of the message" })),
    recipient: Schema.optionalKey(oneLine(Schema.String.annotate({ description: "Its recipient" })))
  }),
  output: Output,
  run: Effect.fnUntraced(function* ({ message, recipient }, caller) {
    const preview = SmsText.preview(message)
    const characters = charactersOf(preview)
    const replaced = characters.some(({ replacement }) => replacement !== undefined)
      ? withReplacements(message)
      : undefined
    const after = replaced === undefined ? undefined : SmsText.preview(replaced)
    const { problem, ...checked }: Checked =
      recipient === undefined ? {} : yield* checkOf(caller, recipient, message)
    const next = after === undefined ? undefined : advice(preview, after)
    return {
      message: sentences(sizeOf(preview), problem ?? ""),
      ...(next === undefined ? {} : { next }),
      ...checked,
      segments: preview.segments,
      encoding: preview.encoding,
      units: preview.units,
      units_per_segment: preview.unitsPerSegment,
      remaining: preview.remaining,
      ...(after === undefined ? {} : { segments_if_replaced: after.segments }),
      ...(next === undefined || replaced === undefined || !isExact(replaced)
        ? {}
        : { text_if_replaced: replaced }),
      ucs2_characters: characters,
      ...leftOut({
        [tooLongReason]: preview.ucs2Characters.length - characters.length
      })
    }
  })
})
