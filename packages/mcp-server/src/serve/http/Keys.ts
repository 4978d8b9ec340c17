/** Named bearer keys that the operator gives to callers. */
import { type AuthInfo, OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { createHash, timingSafeEqual } from "node:crypto"
import { scopes } from "../../tools/Tool.ts"

export interface NamedKey {
  /** Identifies the key in logs and as a caller. */
  readonly name: string
  readonly key: Redacted.Redacted
}

/** The syntax of one credential in a header, without the dots of a JWT. Source: RFC 6750 §2.1. */
const keySyntax = /^[\w~+/-]+=*$/

const howTo =
  "write name:key, where the key has at least 32 characters and no dots; make one with: openssl rand -base64 32"

/**
 * Reads `name:key` entries, one per line or separated by commas.
 *
 * The separator is a colon, because keys in Base64 may end in `=`. Blank lines and lines that begin
 * with `#` are ignored. Names and keys must be unique. A key with a dot would be checked as an access token.
 *
 * The error names the line and what to change. It repeats neither name nor key, because a misplaced
 * key could be in the place of the name.
 */
export const parse = (text: string): Result.Result<ReadonlyArray<NamedKey>, string> => {
  const byName = new Map<string, string>()
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim().startsWith("#")) continue
    for (const entry of line.split(",").filter((each) => each.trim() !== "")) {
      const [, name = "", key = ""] = /^\s*([\w.-]{1,64})\s*:\s*(\S+)\s*$/.exec(entry) ?? []
      if (key.length < 32 || !keySyntax.test(key)) return Result.fail(`line ${index + 1}: ${howTo}`)
      if (byName.has(name) || [...byName.values()].includes(key)) {
        return Result.fail(`line ${index + 1}: an earlier entry has the same name or the same key`)
      }
      byName.set(name, key)
    }
  }
  return byName.size === 0
    ? Result.fail(`there is no key: ${howTo}`)
    : Result.succeed([...byName].map(([name, key]) => ({ name, key: Redacted.make(key) })))
}

/** The text is the same for every kind of token, so that it reveals nothing about the right one. */
export const invalidToken = (): OAuthError =>
  new OAuthError(OAuthErrorCode.InvalidToken, "The bearer token is not valid")

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

// The end of the year 9999: keys do not expire, but the SDK refuses tokens without an expiry.
const never = 253_402_300_799

/**
 * Finds the caller whose key is equal to a token.
 *
 * It compares digests of equal length, and always with all keys. So the time that it takes reveals
 * neither how much of a key was right nor whose key it was.
 */
export const verifier = (keys: ReadonlyArray<NamedKey>): ((token: string) => Promise<AuthInfo>) => {
  const known = keys.map(({ key, name }) => ({ name, digest: digestOf(Redacted.value(key)) }))
  return (token) => {
    const presented = digestOf(token)
    let caller: string | undefined
    for (const { digest, name } of known) {
      // Does not stop at a match, so that all keys take the same time.
      if (timingSafeEqual(digest, presented)) caller = name
    }
    return caller === undefined
      ? Promise.reject(invalidToken())
      : Promise.resolve({
          token: "<redacted>",
          clientId: caller,
          scopes: [scopes.read, scopes.send],
          expiresAt: never,
          extra: { caller: `key:${caller}` }
        })
  }
}
