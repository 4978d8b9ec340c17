/**
 * Removes the access token from what a client sent.
 */
import * as Redacted from "effect/Redacted"

const replacement = "<token>"

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0")

/** The ways to write a character in a path or a JSON string. */
const spellingsOf = (character: string): ReadonlyArray<string> => {
  const code = character.charCodeAt(0)
  return [`%${hex(code, 2)}`, `\\u${hex(code, 4)}`, `\\${character}`, character]
}

const longestSpelling = "\\u0041".length

/** A shorter token is no secret, and may be a common word. Removing it would damage the data. */
const minimumLength = 16

/** Returns at most the first `limit` characters of the text, without the token. */
export type Redact = (text: string, limit?: number) => string

/**
 * Finds the token in any spelling, because a client may encode only some of its characters. Does
 * not use a regular expression: for a long token it would be too large for the engine, and the
 * engine's error would show the token.
 */
export const tokenRedaction = (token: Redacted.Redacted): Redact => {
  const secret = Redacted.value(token)
  if (secret.length < minimumLength) return (text, limit) => text.slice(0, limit)
  const characters = Array.from(secret, spellingsOf)
  const beginnings = new Set([secret[0], "%", "\\"])

  /** Returns the end of a token that begins at `from`, or -1 if there is none. */
  const endFrom = (text: string, from: number): number => {
    let at = from
    for (const spellings of characters) {
      const length = spellings.find((spelling) => {
        const written = text.slice(at, at + spelling.length)
        // Hexadecimal digits can be upper or lower case; all other characters must match.
        return written === spelling || (spelling.length > 2 && written.toLowerCase() === spelling)
      })?.length
      if (length === undefined) return -1
      at += length
    }
    return at
  }

  const redact = (text: string): string => {
    // The unencoded token is removed first, because its characters may look like an escape.
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
    // The end of the text may have a part of the token, so it is removed, too.
    const beginning = redact(text.slice(0, limit + longest))
    return beginning.slice(0, Math.max(0, Math.min(limit, beginning.length - longest)))
  }
}
