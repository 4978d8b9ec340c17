/**
 * Takes the token out of what the service says, should it repeat it.
 */

const replacement = "<redacted>"

/** A character as `\u0041` takes more bytes than any other spelling. */
const maxSpellingBytes = 6

export interface TokenRedaction {
  /** Of a text that was cut, what its end has of the token goes, too. */
  readonly redact: (text: string, isCut?: boolean) => string
  /** The bytes that the token can take, however it is spelled. */
  readonly maxBytes: number
}

/** How each character of the token is spelled in JSON where it is escaped. */
const escapes = (character: string) => ({
  plain: character,
  unicode: `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  short: /["\\/]/.test(character) ? `\\${character}` : undefined
})

type Escapes = ReturnType<typeof escapes>

/** How long the spelling is that stands at this place; 0 if none does. A cut one counts as whole. */
const lengthAt = (text: string, at: number, { plain, short, unicode }: Escapes): number => {
  if (text[at] !== "\\") return text[at] === plain ? 1 : 0
  // Writers of JSON differ in the case of the digits.
  const written = text.slice(at, at + maxSpellingBytes).toLowerCase()
  if (unicode.startsWith(written)) return maxSpellingBytes
  if (short !== undefined && text.startsWith(short, at)) return short.length
  return plain === "\\" ? 1 : 0
}

/**
 * Not a regular expression: one that knows the spellings of a long token is too large for the engine,
 * whose error would show it.
 *
 * `secret` is printable ASCII, which the settings see to.
 */
export const tokenRedaction = (secret: string): TokenRedaction => {
  const characters = [...secret].map(escapes)

  /** Where the token ends that begins here: -1 if none does, beyond the end if the text ends first. */
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
    // A backslash may be one of the token's or begin an escape; as it stands, the token is found first.
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
