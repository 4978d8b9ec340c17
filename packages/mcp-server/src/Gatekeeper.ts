/**
 * The gate of the HTTP front, from the settings.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as AuthGate from "./http/auth/AuthGate.ts"
import type { OAuthSettingError } from "./http/auth/OAuthSettingError.ts"
import type { OAuthSettings } from "./http/auth/OAuthSettings.ts"
import * as StaticKeys from "./http/auth/StaticKeys.ts"
import type { Gate } from "./http/Gate.ts"
import * as Files from "./settings/Files.ts"
import { keysVariable, type Name } from "./settings/Options.ts"
import type { ServeSettings } from "./settings/Settings.ts"
import { badOption, bothNames, SettingsError } from "./settings/SettingsError.ts"

type HttpSettings = NonNullable<ServeSettings["http"]>

const readText = Effect.fnUntraced(function* ({ file, inline }: HttpSettings["keys"]) {
  const source = bothNames("keys-file")
  return Option.isSome(file)
    ? Option.some({ source, text: Redacted.make(yield* Files.readText(source, file.value)) })
    : Option.map(inline, (text) => ({ source: keysVariable, text }))
})

const readKeys = Effect.fnUntraced(function* (keys: HttpSettings["keys"]) {
  const given = yield* readText(keys)
  if (Option.isNone(given)) return undefined
  const { source, text } = given.value
  return yield* Effect.mapError(
    StaticKeys.parseKeys(text),
    ({ message }) => new SettingsError({ problem: `${source}: ${message}` })
  )
})

const optionOf: Readonly<Record<keyof OAuthSettings, Name>> = {
  issuer: "oauth-issuer",
  audience: "oauth-audience",
  jwksUri: "oauth-jwks-url",
  resource: "public-url"
}

const asOption = ({ problem, setting }: OAuthSettingError): SettingsError =>
  badOption(optionOf[setting], problem)

/** `undefined`: everyone on this machine may ask. */
export const make = Effect.fnUntraced(function* ({
  keys,
  oauth
}: HttpSettings): Effect.fn.Return<Gate | undefined, SettingsError> {
  const named = yield* readKeys(keys)
  if (named === undefined && Option.isNone(oauth)) return undefined
  return yield* AuthGate.makeGate({
    ...(named === undefined ? {} : { keys: named }),
    ...(Option.isSome(oauth) ? { oauth: oauth.value } : {})
  }).pipe(Effect.mapError(asOption))
})
