/**
 * JSON that shows what is in it.
 */

/** What JSON leaves as it is although nobody sees it, or it turns the line around. */
const unseen = /[\p{Cf}\u0080-\u009f\u2028\u2029]/gu

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The same JSON, with those characters as escapes. What joins emoji is one of them, too. */
export const escaped = (json: string): string =>
  json.replace(unseen, (character) => character.split("").map(asEscape).join(""))
