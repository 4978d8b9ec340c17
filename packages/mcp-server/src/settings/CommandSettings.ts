/**
 * The commands `sends`, `resolve` and `prune`, with which the operator manages the stored sends.
 */
import * as Effect from "effect/Effect"
import type { GivenOptions } from "./GivenOptions.ts"
import * as OptionValues from "./OptionValues.ts"
import { SettingsError } from "./SettingsError.ts"

const refuse = (problem: string) => Effect.fail(new SettingsError({ problem }))

const isId = (text: string): boolean => /^[\da-f-]{36}$/.test(text)

const readResolve = (given: GivenOptions, id: string | undefined) => {
  const [sent, notSent] = [given.isOn("sent"), given.isOn("not-sent")]
  if (id === undefined || !isId(id)) {
    return refuse("resolve needs the id of a send, as messaging-topup-mcp sends lists it")
  }
  return sent === notSent
    ? refuse("resolve needs --sent or --not-sent")
    : Effect.succeed({ _tag: "Resolve", id, isSent: sent } as const)
}

/** Returns `undefined` without a command: the server serves. */
export const readCommand = Effect.fnUntraced(function* (given: GivenOptions) {
  const [command, id, ...others] = given.positionals
  if (command === undefined) return undefined
  if (others.length > 0 || (command !== "resolve" && id !== undefined)) {
    return yield* refuse("There are too many arguments")
  }
  switch (command) {
    case "sends":
      return {
        _tag: "Sends",
        isUnknownOnly: given.isOn("unknown"),
        isJson: given.isOn("json")
      } as const
    case "resolve":
      return yield* readResolve(given, id)
    case "prune":
      return {
        _tag: "Prune",
        what: given.isOn("unknown") ? "unknown" : "settled",
        olderThan: yield* OptionValues.duration(given, "older-than")
      } as const
    default:
      // The word is not repeated: it could be a secret in the wrong place.
      return yield* refuse(
        "The arguments are not understood. The commands are sends, resolve and prune; without one, the server serves. Secrets are never arguments."
      )
  }
})
