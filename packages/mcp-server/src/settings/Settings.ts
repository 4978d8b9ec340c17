/**
 * What the command was asked to do.
 */
import * as Effect from "effect/Effect"
import * as GivenOptions from "./GivenOptions.ts"
import * as GuardSettings from "./GuardSettings.ts"
import * as HttpSettings from "./HttpSettings.ts"

export const read = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: GivenOptions.Environment
) {
  const given = yield* GivenOptions.parse(args, environment)
  if (given.on("help")) return { _tag: "Help" } as const
  if (given.on("version")) return { _tag: "Version" } as const
  return {
    _tag: "Serve",
    sandbox: given.on("sandbox"),
    guards: yield* GuardSettings.read(given),
    http: yield* HttpSettings.read(given, environment)
  } as const
})

export type Settings = Effect.Success<ReturnType<typeof read>>

export type ServeSettings = Extract<Settings, { readonly _tag: "Serve" }>
