/**
 * The commands `sends`, `resolve` and `prune`, with which the operator manages the stored sends.
 */
import * as Effect from "effect/Effect"
import { UsageError } from "@messaging-topup/sandbox/command-line"
import type { Given } from "../Options.ts"

const refuse = (problem: string) => Effect.fail(new UsageError({ problem }))

const isId = (text: string): boolean => /^[\da-f-]{36}$/.test(text)

const readResolve = Effect.fnUntraced(function* (given: Given, id: string | undefined) {
  const isSent = yield* given.value("sent")
  if (id === undefined || !isId(id)) {
    return yield* refuse("resolve needs the id of a send, as messaging-topup-mcp sends lists it")
  }
  return isSent === (yield* given.value("not-sent"))
    ? yield* refuse("resolve needs --sent or --not-sent")
    : ({ _tag: "Resolve", id, isSent } as const)
})

/** Returns `undefined` without a command: the server serves. */
export const readCommand = Effect.fnUntraced(function* (given: Given) {
  const [command, id, ...others] = given.rest
  if (command === undefined) return undefined
  if (others.length > 0 || (command !== "resolve" && id !== undefined)) {
    return yield* refuse("There are too many arguments")
  }
  switch (command) {
    case "sends":
      return {
        _tag: "Sends",
        isUnknownOnly: yield* given.value("unknown"),
        isJson: yield* given.value("json")
      } as const
    case "resolve":
      return yield* readResolve(given, id)
    case "prune":
      return {
        _tag: "Prune",
        what: (yield* given.value("unknown")) ? "unknown" : "settled",
        olderThan: yield* given.value("older-than")
      } as const
    default:
      // The word is not repeated: it could be a secret in the wrong place.
      return yield* refuse(
        "The arguments are not understood. The commands are sends, resolve and prune; without one, the server serves. Secrets are never arguments."
      )
  }
})
