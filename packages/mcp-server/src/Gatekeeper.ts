/**
 * The gate of the HTTP front, from the settings.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as AuthGate from "./http/auth/AuthGate.ts"
import * as StaticKeys from "./http/auth/StaticKeys.ts"
import type { Gate } from "./http/Gate.ts"
import * as Files from "./settings/Files.ts"
import type { ServeSettings } from "./settings/Settings.ts"
import { SettingsError } from "./settings/SettingsError.ts"

type HttpSettings = NonNullable<ServeSettings["http"]>

const asSettingsError = (error: { readonly message: string }) =>
  new SettingsError({ problem: error.message })

const readKeys = Effect.fnUntraced(function* ({ file, inline }: HttpSettings["keys"]) {
  const text = Option.isSome(file)
    ? Option.some(Redacted.make(yield* Files.readText("--keys-file", file.value)))
    : inline
  return Option.isSome(text)
    ? yield* Effect.mapError(StaticKeys.parseKeys(text.value), asSettingsError)
    : undefined
})

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
  }).pipe(Effect.mapError(asSettingsError))
})
