/** Removes an access token from texts that may repeat it. */

/** The ways to write a character of the token in JSON and in a URL. Nobody escapes letters and digits. */
const spellingsOf = (character: string): ReadonlyArray<string> => {
  if (/[A-Za-z0-9]/.test(character)) return [character]
  const hex = character.charCodeAt(0).toString(16)
  const digits = [hex, hex.toUpperCase()]
  return [
    ...digits.map((each) => `\\u00${each}`),
    ...digits.map((each) => `%${each}`),
    `\\${character}`,
    character
  ]
}

/** `\u002b` is the longest way to write a character. */
const maxSpellingLength = 6

/** Removes one token from texts. */
export interface TokenRedaction {
  readonly redact: (text: string) => string
  /** The maximum length of the token in a text. A text that was cut may end in a part of it. */
  readonly maxLength: number
}

/**
 * Returns a function that replaces a token in a text, also where it is escaped as in JSON or in a URL.
 * `secret` is printable ASCII.
 *
 * It uses no regular expression: that of a long token is too large for the engine, whose error would show
 * the token.
 */
export const tokenRedaction = (secret: string): TokenRedaction => {
  const characters = Array.from(secret, spellingsOf)

  /** Returns the end of the token that begins at `from`; undefined if there is none. */
  const endFrom = (text: string, from: number): number | undefined => {
    let end = from
    for (const spellings of characters) {
      const found = spellings.find((each) => text.startsWith(each, end))
      if (found === undefined) return undefined
      end += found.length
    }
    return end
  }

  const redact = (text: string): string => {
    // First as it is: a backslash may belong to the token, or begin an escape.
    const plain = text.replaceAll(secret, "<redacted>")
    let redacted = ""
    let kept = 0
    for (let at = 0; at < plain.length; at++) {
      const end = endFrom(plain, at)
      if (end === undefined) continue
      redacted += `${plain.slice(kept, at)}<redacted>`
      kept = end
      at = end - 1
    }
    return redacted + plain.slice(kept)
  }

  return { redact, maxLength: secret.length * maxSpellingLength }
}
