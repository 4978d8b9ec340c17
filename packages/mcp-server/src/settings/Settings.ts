/**
 * The settings: which command to run, with all its options checked.
 */
import * as Effect from "effect/Effect"
import { readCommand } from "./CommandSettings.ts"
import * as GivenOptions from "./GivenOptions.ts"
import * as GuardSettings from "./GuardSettings.ts"
import * as HttpSettings from "./HttpSettings.ts"
import * as Policy from "./Policy.ts"
import { badOption } from "./SettingsError.ts"
import * as StateSettings from "./StateSettings.ts"

export const read = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: GivenOptions.Environment
) {
  const given = yield* GivenOptions.parse(args, environment)
  if (given.isOn("help")) return { _tag: "Help" } as const
  if (given.isOn("version")) return { _tag: "Version" } as const
  const command = yield* readCommand(given)
  if (command !== undefined) {
    return { ...command, state: yield* StateSettings.read(given, environment, false) }
  }
  const { rules, ...guards } = yield* GuardSettings.read(given)
  const http = yield* HttpSettings.read(given, environment)
  const keys = http?.authentication?.keys?.map(({ name }) => name) ?? []
  const sandbox = given.isOn("sandbox")
  const inbox = given.isOn("inbox")
  if (inbox && !sandbox) {
    return yield* badOption(
      "inbox",
      "it shows what was sent to the mock server, so it needs --sandbox"
    )
  }
  return {
    _tag: "Serve",
    sandbox,
    inbox,
    guards: { ...guards, ...(yield* Policy.read(given, environment, rules, keys)) },
    http,
    state: yield* StateSettings.read(given, environment, sandbox || http !== undefined),
    isForgetful: http !== undefined && !sandbox && !given.isSet("state")
  } as const
})

export type Settings = Effect.Success<ReturnType<typeof read>>

export type ServeSettings = Extract<Settings, { readonly _tag: "Serve" }>

export type SendsSettings = Extract<Settings, { readonly _tag: "Sends" | "Resolve" | "Prune" }>
