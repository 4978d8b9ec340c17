/**
 * What the server knows of the authorization server that it trusts.
 */
import * as Effect from "effect/Effect"
import { OAuthSettingError } from "./OAuthSettingError.ts"
import { secureUrl } from "./WebAddress.ts"

/**
 * URLs are text, because an issuer is compared letter for letter and a parser adds slashes.
 */
export interface OAuthSettings {
  /** As in a token's `iss`. Starts with https, or http on loopback. */
  readonly issuer: string
  /** What a token's `aud` must name. */
  readonly audience: string
  /** Where the issuer's keys are. Default: as the issuer's metadata says. */
  readonly jwksUri?: string
  /** The public URL of this MCP server, as its clients have it. */
  readonly resource: string
}

const absolute = "give an absolute https URL without user name (http on loopback only)"

const checkUrl = (
  setting: keyof OAuthSettings,
  value: string
): Effect.Effect<URL, OAuthSettingError> => {
  const url = secureUrl(value)
  return url === undefined
    ? Effect.fail(new OAuthSettingError({ setting, problem: absolute }))
    : Effect.succeed(url)
}

const plain = Effect.fnUntraced(function* (setting: keyof OAuthSettings, value: string) {
  yield* checkUrl(setting, value)
  if (/[?#]/.test(value)) {
    return yield* new OAuthSettingError({
      setting,
      problem: "take the query and fragment out of the URL"
    })
  }
})

/**
 * Fails with `OAuthSettingError` at the first setting that is not right.
 */
export const checkSettings = Effect.fnUntraced(function* (settings: OAuthSettings) {
  yield* plain("issuer", settings.issuer)
  yield* plain("resource", settings.resource)
  if (settings.jwksUri !== undefined) yield* checkUrl("jwksUri", settings.jwksUri)
  if (settings.audience.trim() === "") {
    return yield* new OAuthSettingError({
      setting: "audience",
      problem: "name what the issuer puts into `aud` of tokens for this server"
    })
  }
})
