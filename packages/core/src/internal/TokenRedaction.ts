/**
 * Takes the token out of what the service says, should it repeat it.
 */

const replacement = "<redacted>"

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0")

/** Writers of JSON differ in the case of an escape's digits. */
const anyCase = (digits: string) =>
  digits.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

/** The character as it is, or as JSON may write it. */
const spellings = (character: string) => {
  const plain = `\\x${hex(character)}`
  const escaped = /["\\/]/.test(character) ? `|\\\\${plain}` : ""
  return `(?:${plain}|\\\\u00${anyCase(hex(character))}${escaped})`
}

/** `secret` is printable ASCII, which the settings see to. */
export const tokenRedaction = (secret: string): ((text: string) => string) => {
  const pattern = new RegExp([...secret].map(spellings).join(""), "g")
  return (text) => text.replace(pattern, replacement)
}
