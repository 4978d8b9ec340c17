/**
 * Characters that force UCS-2, and what people write for them in GSM-7.
 */

/** By what stands for them. Letters with accents are not here: another letter is another word. */
const plain: Readonly<Record<string, string>> = {
  "'": "‘’‚‛′ʼ´`",
  '"': "“”„‟″«»",
  "-": "‐‑‒–—―−•",
  "...": "…",
  " ": "\t\u00a0\u2002\u2003\u2007\u2009\u200a\u202f",
  "": "\u200b\u2060\ufeff\u00ad",
  x: "×"
}

const replacements = new Map(
  Object.entries(plain).flatMap(([replacement, characters]) =>
    [...characters].map((character) => [character, replacement] as const)
  )
)

/** `undefined` where no usual one exists. */
export const replacementOf = (character: string): string | undefined => replacements.get(character)

/** The text with all of them replaced. */
export const replaced = (text: string): string =>
  [...text].map((character) => replacements.get(character) ?? character).join("")
