/** Removes an access token from texts that may repeat it. */

/** `\u0041` is the longest way to write a character. */
const maxSpellingBytes = 6

/** Removes one token. */
export interface TokenRedaction {
  /** If `isCut`, the beginning of a token at the end of the text is removed, too. */
  readonly redact: (text: string, isCut?: boolean) => string
  /** The maximum number of bytes of the token, with every character escaped. */
  readonly maxBytes: number
}

const hex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, "0")

/** The ways to write a character of the token in JSON and in a URL. */
const escapes = (character: string) => ({
  plain: character,
  hexadecimal: [`\\u${hex(character, 4)}`, `%${hex(character, 2)}`],
  short: /["\\/]/.test(character) ? `\\${character}` : undefined
})

type Escapes = ReturnType<typeof escapes>

/**
 * Returns the length of the character as it is written at `at`, or 0 if another character is there.
 * A cut escape counts as complete.
 */
const lengthAt = (text: string, at: number, { hexadecimal, plain, short }: Escapes): number => {
  const first = text[at]
  if (first !== "\\" && first !== "%") return first === plain ? 1 : 0
  // Writers use upper or lower case for the hexadecimal digits.
  const written = text.slice(at, at + maxSpellingBytes).toLowerCase()
  const escape = hexadecimal.find((each) => each.startsWith(written.slice(0, each.length)))
  if (escape !== undefined) return escape.length
  if (short !== undefined && text.startsWith(short, at)) return short.length
  return first === plain ? 1 : 0
}

/**
 * Returns a function that replaces a token in a text, also where its characters are escaped as in
 * JSON or in a URL. `secret` is printable ASCII.
 *
 * It uses no regular expression: with all ways to write a long token it would be too large for the
 * engine, and the engine's error would show it.
 *
 * @example
 * ```ts
 * import { tokenRedaction } from "@messaging-topup/core"
 *
 * const { redact } = tokenRedaction("a/token")
 * console.log(redact("Bearer a/token, and in a URL a%2Ftoken")) // Bearer <redacted>, and in a URL <redacted>
 * ```
 */
export const tokenRedaction = (secret: string, replacement = "<redacted>"): TokenRedaction => {
  const characters = [...secret].map(escapes)

  /**
   * Returns the end of a token that begins at `from`: -1 if there is none, beyond the text if the
   * text ends first.
   */
  const endFrom = (text: string, from: number): number => {
    let at = from
    for (const character of characters) {
      if (at >= text.length) return Infinity
      const length = lengthAt(text, at, character)
      if (length === 0) return -1
      at += length
    }
    return at
  }

  const redact = (text: string, isCut = false): string => {
    // A backslash may belong to the token or begin an escape, so the unescaped token is removed
    // first.
    const plain = text.replaceAll(secret, replacement)
    let redacted = ""
    let kept = 0
    for (let at = 0; at < plain.length; at++) {
      const end = endFrom(plain, at)
      if (end > plain.length && isCut) return redacted + plain.slice(kept, at)
      if (end === -1 || end > plain.length) continue
      redacted += plain.slice(kept, at) + replacement
      kept = end
      at = end - 1
    }
    return redacted + plain.slice(kept)
  }

  return { redact, maxBytes: secret.length * maxSpellingBytes }
}
