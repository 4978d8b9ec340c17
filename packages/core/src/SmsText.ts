/**
 * Tells, before an SMS is sent, how it will be encoded and into how many segments it will be split.
 *
 * @module
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { septetsOf } from "./internal/Gsm7.ts"

/**
 * What a message will look like on the air.
 *
 * A unit is a septet in GSM-7 and a UTF-16 code unit in UCS-2. A segment holds 160 and 70 of them
 * alone, 153 and 67 in a longer message. `ucs2Characters` is in order of first appearance. `units`
 * counts what the message takes: where a character of two units does not fit at the end of a segment it moves to the next
 * one, and the unit it leaves empty is in neither `units` nor `remaining`.
 *
 * @since 0.1.0
 */
export const SmsPreview = Schema.Struct({
  encoding: Schema.Literals(["GSM-7", "UCS-2"]).annotate({
    description: "Encoding"
  }),
  segments: Schema.Int.annotate({ description: "Segments" }),
  units: Schema.Int.annotate({ description: "Units in all" }),
  unitsPerSegment: Schema.Int.annotate({ description: "Units a segment holds" }),
  remaining: Schema.Int.annotate({ description: "Units free in the last segment" }),
  ucs2Characters: Schema.Array(Schema.String).annotate({
    description: "Characters that force UCS-2"
  })
})

/**
 * The value that {@link preview} returns.
 *
 * @since 0.1.0
 */
export interface SmsPreview extends Schema.Schema.Type<typeof SmsPreview> {}

// A segment of a longer message gives 6 of its 140 octets to the header that puts the parts
// together again.
const capacities = {
  "GSM-7": { alone: 160, part: 153 },
  "UCS-2": { alone: 70, part: 67 }
} as const

const summarize = (
  encoding: SmsPreview["encoding"],
  units: number,
  parts: number,
  unitsInLastPart: number,
  ucs2Characters: ReadonlyArray<string>
): SmsPreview => {
  const { alone, part } = capacities[encoding]
  const [segments, unitsPerSegment, remaining] =
    units <= alone ? [1, alone, alone - units] : [parts, part, part - unitsInLastPart]
  return { encoding, segments, units, unitsPerSegment, remaining, ucs2Characters }
}

const isSurrogatePairAt = (message: string, index: number): boolean =>
  (message.charCodeAt(index) & 0xfc00) === 0xd800 &&
  (message.charCodeAt(index + 1) & 0xfc00) === 0xdc00

const previewUcs2 = (message: string, firstIndex: number): SmsPreview => {
  const codePoints = new Set<number>()
  let at = firstIndex
  for (let code = message.codePointAt(at); code !== undefined; code = message.codePointAt(at)) {
    if (septetsOf(code) === 0) codePoints.add(code)
    at += code > 0xffff ? 2 : 1
  }
  const ucs2Characters = Array.from(codePoints, (code) => String.fromCodePoint(code))

  const { part } = capacities["UCS-2"]
  let parts = 1
  let partStart = 0
  while (message.length - partStart > part) {
    partStart += isSurrogatePairAt(message, partStart + part - 1) ? part - 1 : part
    parts++
  }
  return summarize("UCS-2", message.length, parts, message.length - partStart, ucs2Characters)
}

/**
 * Tells the encoding of a message, its segments, the room left in the last one and the characters
 * that force UCS-2.
 *
 * The service's description shows no limit for the text, so this advises and never rejects: an
 * empty message takes one GSM-7 segment of which nothing is used, and a lone surrogate is one UCS-2
 * unit. Neither a surrogate pair nor a character of the GSM-7 extension table (`^ { } \ [ ~ ] | €`
 * and form feed, two septets each) is split across segments; an emoji made of several code points
 * can be. The alphabet has `Ç` but not `ç`. The national language tables are not used: a message
 * that needs one is UCS-2.
 *
 * @example
 * ```ts
 * preview("Ça coûte 5 €")
 * // { encoding: "UCS-2", segments: 1, units: 12, unitsPerSegment: 70,
 * //   remaining: 58, ucs2Characters: ["û"] }
 * ```
 *
 * Source: 3GPP TS 23.038 §6.2 (alphabets), 3GPP TS 23.040 §9.2.3.24.1 (segments)
 *
 * @since 0.1.0
 */
export const preview = (message: string): SmsPreview => {
  const { part } = capacities["GSM-7"]
  let septets = 0
  let parts = 1
  let septetsInLastPart = 0
  for (let index = 0; index < message.length; index++) {
    const cost = septetsOf(message.charCodeAt(index))
    if (cost === 0) return previewUcs2(message, index)
    septets += cost
    if (septetsInLastPart + cost > part) {
      parts++
      septetsInLastPart = cost
    } else {
      septetsInLastPart += cost
    }
  }
  return summarize("GSM-7", septets, parts, septetsInLastPart, [])
}
