/**
 * Takes the access token out of what a client sent.
 */
import * as Redacted from "effect/Redacted"

const replacement = "<token>"

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0")

/** How a path and a JSON string can spell a character, beside as it is. */
const spellingsOf = (character: string): ReadonlyArray<string> => {
  const code = character.charCodeAt(0)
  return [`%${hex(code, 2)}`, `\\u${hex(code, 4)}`, `\\${character}`, character]
}

const longestSpelling = "\\u0041".length

/** A shorter token is no secret, and may be a word that clients send: taken out, it would damage the data. */
const leastLength = 16

/** Returns at most the first `limit` characters of the text, without the token. */
export type Redact = (text: string, limit?: number) => string

/**
 * Each character in any of its spellings: a client may encode some and not others. Not a regular
 * expression: for a long token it would be too large for the engine, whose error would show it.
 */
export const tokenRedaction = (token: Redacted.Redacted): Redact => {
  const secret = Redacted.value(token)
  if (secret.length < leastLength) return (text, limit) => text.slice(0, limit)
  const characters = Array.from(secret, spellingsOf)
  const beginnings = new Set([secret[0], "%", "\\"])

  /** Where the token ends that begins here; -1 where none does. */
  const endFrom = (text: string, from: number): number => {
    let at = from
    for (const spellings of characters) {
      const length = spellings.find((spelling) => {
        const written = text.slice(at, at + spelling.length)
        // Writers differ in the case of the digits, and only in those.
        return written === spelling || (spelling.length > 2 && written.toLowerCase() === spelling)
      })?.length
      if (length === undefined) return -1
      at += length
    }
    return at
  }

  const redact = (text: string): string => {
    // As it is first: a character of the token may look like the beginning of a spelling.
    const plain = text.replaceAll(secret, replacement)
    let redacted = ""
    let kept = 0
    for (let at = 0; at < plain.length; at++) {
      if (!beginnings.has(plain[at])) continue
      const end = endFrom(plain, at)
      if (end === -1) continue
      redacted += plain.slice(kept, at) + replacement
      kept = end
      at = end - 1
    }
    return redacted + plain.slice(kept)
  }

  const longest = secret.length * longestSpelling
  return (text, limit = Infinity) => {
    if (text.length <= limit + longest) return redact(text).slice(0, limit)
    // What may be a part of the token, at the end of what was read, goes too.
    const beginning = redact(text.slice(0, limit + longest))
    return beginning.slice(0, Math.max(0, Math.min(limit, beginning.length - longest)))
  }
}
