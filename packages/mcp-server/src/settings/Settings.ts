/**
 * What the command was asked to do.
 */
import * as Effect from "effect/Effect"
import * as GuardSettings from "./GuardSettings.ts"
import * as HttpSettings from "./HttpSettings.ts"
import * as Raw from "./Raw.ts"

export const read = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Raw.Environment
) {
  const raw = yield* Raw.parse(args, environment)
  if (raw.on("help")) return { _tag: "Help" } as const
  if (raw.on("version")) return { _tag: "Version" } as const
  return {
    _tag: "Serve",
    sandbox: raw.on("sandbox"),
    guards: yield* GuardSettings.read(raw),
    http: yield* HttpSettings.read(raw, environment)
  } as const
})

export type Settings = Effect.Success<ReturnType<typeof read>>

export type ServeSettings = Extract<Settings, { readonly _tag: "Serve" }>
