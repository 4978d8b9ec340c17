/**
 * The usual GSM-7 replacements for characters that force UCS-2.
 */

/**
 * Each replacement with the characters that it replaces. Letters with accents are left out: another
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

/** Returns `undefined` if the character has no usual replacement. */
export const replacementOf = (character: string): string | undefined => replacements.get(character)

/** Replaces every character that has a replacement. */
export const withReplacements = (text: string): string =>
  [...text].map((character) => replacements.get(character) ?? character).join("")
