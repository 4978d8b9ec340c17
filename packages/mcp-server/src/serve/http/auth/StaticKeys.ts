/**
 * Named bearer keys that the operator gives to callers.
 */
import type { AuthInfo, OAuthError } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Scopes from "../../../tools/Scopes.ts"
import { invalidToken, isBearerToken, looksLikeJwt } from "./BearerToken.ts"

export interface NamedKey {
  /** Identifies the key in logs and in the principal. */
  readonly name: string
  readonly key: Redacted.Redacted
}

const minLength = 32
const howToMake = "make one with: openssl rand -base64 32"

const entriesOf = (text: string) =>
  text
    .split(/\r\n|\r|\n/)
    .flatMap((content, index) =>
      content.trim().startsWith("#")
        ? []
        : content.split(",").map((entry) => ({ line: index + 1, text: entry.trim() }))
    )
    .filter((entry) => entry.text !== "")

const problemOf = (name: string, key: string): string | undefined => {
  if (!/^[\w.-]{1,64}$/.test(name)) {
    return "give a name of 1 to 64 letters, digits, dots, dashes and underscores before the colon"
  }
  if (key.length < minLength) {
    return `the key is shorter than ${minLength} characters; ${howToMake}`
  }
  if (!isBearerToken(key)) {
    return `the key contains characters that a bearer token cannot have; ${howToMake}`
  }
  if (looksLikeJwt(key)) {
    return `the key looks like a JWT, and would be checked as an OAuth token; ${howToMake}`
  }
  return undefined
}

/**
 * Reads `name:key` entries, one per line or separated by commas.
 *
 * The separator is a colon, because keys in Base64 may end in `=`. Blank lines and lines that begin
 * with `#` are ignored. Names and keys must be unique, and a key has at least 32 characters.
 *
 * The error names the line and what to change. It repeats neither name nor key, because a misplaced
 * key could be in the place of the name.
 */
export const parseKeys = (
  text: Redacted.Redacted
): Result.Result<ReadonlyArray<NamedKey>, string> => {
  const names = new Set<string>()
  const values = new Set<string>()
  const keys: Array<NamedKey> = []
  for (const entry of entriesOf(Redacted.value(text))) {
    const refuse = (problem: string) => Result.fail(`line ${entry.line}: ${problem}`)
    const colon = entry.text.indexOf(":")
    if (colon === -1) return refuse("write name:key")
    const name = entry.text.slice(0, colon).trim()
    const key = entry.text.slice(colon + 1).trim()
    const problem = problemOf(name, key)
    if (problem !== undefined) return refuse(problem)
    if (names.has(name)) return refuse("an earlier entry has the same name")
    if (values.has(key)) return refuse(`an earlier entry has the same key; ${howToMake}`)
    names.add(name)
    values.add(key)
    keys.push({ name, key: Redacted.make(key) })
  }
  return keys.length === 0
    ? Result.fail(`give at least one name:key; ${howToMake}`)
    : Result.succeed(keys)
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

// The end of the year 9999: keys do not expire, but the SDK refuses tokens without an expiry.
const never = 253_402_300_799

const callerOf = (name: string): AuthInfo => ({
  token: "<redacted>",
  clientId: name,
  scopes: [...Scopes.all],
  expiresAt: never,
  extra: { principal: `key:${name}` }
})

/**
 * Finds the caller whose key is equal to a token.
 *
 * It compares digests of equal length, and always with all keys. So the time that it takes reveals
 * neither how much of a key was right nor whose key it was.
 */
export const verifier = (
  keys: ReadonlyArray<NamedKey>
): ((token: string) => Effect.Effect<AuthInfo, OAuthError>) => {
  const known = keys.map(({ key, name }) => ({ name, digest: digestOf(Redacted.value(key)) }))
  return (token) =>
    Effect.suspend(() => {
      const presented = digestOf(token)
      let caller: string | undefined
      for (const { digest, name } of known) {
        // Does not stop at a match, so that all keys take the same time.
        if (timingSafeEqual(digest, presented)) caller = name
      }
      return caller === undefined ? Effect.fail(invalidToken()) : Effect.succeed(callerOf(caller))
    })
}
