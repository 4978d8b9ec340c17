/** Characters that a person cannot see, or that reverse the direction of a line. */
export const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** The code point of a character, such as `U+202E`. */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Escapes the invisible characters that JSON leaves as they are, and that a terminal obeys. */
export const escapedJson = (json: string): string =>
  json.replace(invisible, (character) => character.split("").map(asEscape).join(""))

/**
 * Invisible characters that join and split nothing, and black flags with the tag letters after them: the
 * letters make it another flag, such as that of Scotland. It looks at each character once: a text can be
 * nothing but tag letters.
 */
const ignored = /(\u{1f3f4}[\u{e0020}-\u{e007f}]*)|[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Removes what a person cannot see, for comparisons. */
export const withoutInvisible = (text: string): string => text.replace(ignored, "$1")

/**
 * Normalises a text. A combining grapheme joiner splits each long run of combining characters, because
 * the time to sort one grows with the square of its length. Source: the Stream-Safe Text Process,
 * https://unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
export const normalized = (text: string, form: "NFC" | "NFKC"): string =>
  text.replace(/\p{M}{30}(?=\p{M})/gu, "$&\u034f").normalize(form)

/** Texts that look the same are the same in it: blanks and ends of lines are one blank. */
export const visibleText = (text: string): string =>
  normalized(
    withoutInvisible(text.replace(/[\s\u2800]+/gu, " "))
      .replace(/ {2,}/g, " ")
      .trim(),
    "NFC"
  )
