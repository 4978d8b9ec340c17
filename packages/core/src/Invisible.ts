/** Characters that a person cannot see, or that reverse the direction of a line. */
export const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** The code point of a character, such as `U+202E`. */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Escapes the invisible characters that JSON leaves as they are, and that a terminal obeys. */
export const escapedJson = (json: string): string =>
  json.replace(invisible, (character) => character.split("").map(asEscape).join(""))
