/**
 * Shows the encoding and the segments of an SMS before it is sent.
 *
 * @module
 */
import * as Schema from "effect/Schema"

const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ" +
  " !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" +
  "¿abcdefghijklmnopqrstuvwxyzäöñüà"

const extension = "\f^{}\\[~]|€"

// One byte for every code point up to the highest in the alphabet, so that a lookup is one array
// read.
const costs = new Uint8Array("€".charCodeAt(0) + 1)
for (const character of basic) costs[character.charCodeAt(0)] = 1
for (const character of extension) costs[character.charCodeAt(0)] = 2

/**
 * Returns how many septets a code point takes in the GSM 7 bit default alphabet: 2 for a character
 * of the extension table, because an escape comes before it, and 0 for a character outside the
 * alphabet.
 *
 * The escape itself (U+001B) counts as outside the alphabet: it starts a pair and is not text.
 *
 * Source: 3GPP TS 23.038 §6.2.1 and §6.2.1.1
 */
const septetsOf = (codePoint: number): number => costs[codePoint] ?? 0

/**
 * The encoding and the segments of a message.
 *
 * A unit is a septet in GSM-7 and a UTF-16 code unit in UCS-2. A single segment holds 160 units in
 * GSM-7 and 70 in UCS-2; in a longer message, each segment holds 153 or 67. `ucs2Characters` is in
 * order of first appearance. `units` counts the units of the message. If a character of two units
 * does not fit at the end of a segment, it moves to the next segment. The unit that stays empty
 * counts neither in `units` nor in `remaining`.
 */
export const SmsPreview = Schema.Struct({
  encoding: Schema.Literals(["GSM-7", "UCS-2"]).annotate({
    description: "Encoding"
  }),
  segments: Schema.Int.annotate({ description: "Segments" }),
  units: Schema.Int.annotate({ description: "Total units" }),
  unitsPerSegment: Schema.Int.annotate({ description: "Units per segment" }),
  remaining: Schema.Int.annotate({ description: "Units left in the last segment" }),
  ucs2Characters: Schema.Array(Schema.String).annotate({
    description: "Characters that force UCS-2"
  })
})

/** The value that {@link preview} returns. */
export interface SmsPreview extends Schema.Schema.Type<typeof SmsPreview> {}

// Each segment of a longer message uses 6 of its 140 octets for the header that joins the segments.
const capacities = {
  "GSM-7": { single: 160, perSegment: 153 },
  "UCS-2": { single: 70, perSegment: 67 }
} as const

const summarize = (
  encoding: SmsPreview["encoding"],
  units: number,
  segmentCount: number,
  unitsInLastSegment: number,
  ucs2Characters: ReadonlyArray<string>
): SmsPreview => {
  const { perSegment, single } = capacities[encoding]
  const [segments, unitsPerSegment, remaining] =
    units <= single
      ? [1, single, single - units]
      : [segmentCount, perSegment, perSegment - unitsInLastSegment]
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

  const { perSegment } = capacities["UCS-2"]
  let segmentCount = 1
  let segmentStart = 0
  while (message.length - segmentStart > perSegment) {
    segmentStart += isSurrogatePairAt(message, segmentStart + perSegment - 1)
      ? perSegment - 1
      : perSegment
    segmentCount++
  }
  return summarize(
    "UCS-2",
    message.length,
    segmentCount,
    message.length - segmentStart,
    ucs2Characters
  )
}

/**
 * Returns the encoding of a message, its segments, the units left in the last segment and the
 * characters that force UCS-2.
 *
 * The service description gives no limit for the text, so every text is accepted. An empty message
 * takes one GSM-7 segment with no units, and a lone surrogate is one UCS-2 unit. A surrogate pair
 * is never split across segments, nor is a character of the GSM-7 extension table
 * (`^ { } \ [ ~ ] | €` and form feed, two septets each). An emoji made of several code points can
 * be. The alphabet has `Ç` but not `ç`. The national language tables are not used: a message that
 * needs one is UCS-2.
 *
 * Source: 3GPP TS 23.038 §6.2 (alphabets), 3GPP TS 23.040 §9.2.3.24.1 (segments)
 */
export const preview = (message: string): SmsPreview => {
  const { perSegment } = capacities["GSM-7"]
  let septets = 0
  let segmentCount = 1
  let septetsInLastSegment = 0
  for (let index = 0; index < message.length; index++) {
    const cost = septetsOf(message.charCodeAt(index))
    if (cost === 0) return previewUcs2(message, index)
    septets += cost
    if (septetsInLastSegment + cost > perSegment) {
      segmentCount++
      septetsInLastSegment = cost
    } else {
      septetsInLastSegment += cost
    }
  }
  return summarize("GSM-7", septets, segmentCount, septetsInLastSegment, [])
}
