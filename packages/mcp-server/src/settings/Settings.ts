/**
 * The settings: which command to run, with all its options checked.
 */
import * as Effect from "effect/Effect"
import { readCommand } from "./CommandSettings.ts"
import type { Environment } from "@messaging-topup/sandbox/command-line"
import { badOption, parse } from "../Options.ts"
import * as GuardSettings from "./GuardSettings.ts"
import * as HttpSettings from "./HttpSettings.ts"
import * as Policy from "./Policy.ts"
import * as StateSettings from "./StateSettings.ts"

export const read = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Environment
) {
  const given = yield* parse(args, environment)
  if (yield* given.value("help")) return { _tag: "Help" } as const
  if (yield* given.value("version")) return { _tag: "Version" } as const
  const command = yield* readCommand(given)
  if (command !== undefined) {
    return { ...command, state: yield* StateSettings.read(given, environment) }
  }
  const { rules, ...guards } = yield* GuardSettings.read(given)
  const http = yield* HttpSettings.read(given, environment)
  const callers = {
    keys: http?.keys?.map(({ name }) => name) ?? [],
    hasOAuth: http?.oauth !== undefined
  }
  const sandbox = yield* given.value("sandbox")
  const inbox = yield* given.value("inbox")
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
    guards: { ...guards, ...(yield* Policy.read(given, environment, rules, callers)) },
    http,
    /** Whether some caller may send. */
    sends: rules.sendingOff === undefined,
    // What the sandbox accepts is forgotten with it.
    state:
      sandbox && !given.isSet("state")
        ? ({ _tag: "Memory" } as const)
        : yield* StateSettings.read(given, environment)
  } as const
})

export type Settings = Effect.Success<ReturnType<typeof read>>

export type ServeSettings = Extract<Settings, { readonly _tag: "Serve" }>

export type SendsSettings = Extract<Settings, { readonly _tag: "Sends" | "Resolve" | "Prune" }>
