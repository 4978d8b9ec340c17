/** The commands of the operator, which `messaging-topup` has: who types one here is told the line. */
import { type Environment, refuse, shellLine } from "@messaging-topup/command"
import { type JournalLocation, locate } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"

const decisions = new Set(["--sent", "--not-sent", "--resend"])

/** Options with values that are repeated: all others could be a number or a secret. */
const valueAfter = (args: ReadonlyArray<string>, flag: string): string | undefined => {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
  return at === -1 ? undefined : (args[at]?.split("=")[1] ?? args[at + 1])
}

const durationOf = (args: ReadonlyArray<string>): string => {
  const given = valueAfter(args, "--older-than") ?? ""
  return /^\d{1,5} [a-z]{1,7}$/.test(given) ? given : "90 days"
}

const wordsOf: Readonly<Record<string, (args: ReadonlyArray<string>) => ReadonlyArray<string>>> = {
  sends: (args) => args.filter((arg) => arg === "--unknown" || arg === "--json"),
  resolve: (args) => [
    "--id",
    args.find((arg) => /^\d{1,15}$/.test(arg)) ?? "ID",
    args.find((arg) => decisions.has(arg)) ?? "--help"
  ],
  prune: (args) => ["--older-than", durationOf(args), ...args.filter((arg) => arg === "--unknown")]
}

const journalOf = (location: JournalLocation): string =>
  location._tag === "Sqlite" ? resolve(location.file) : location._tag.toLowerCase()

/** Fails if the arguments are such a command. */
export const refuseMoved = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Environment
) {
  const [name = ""] = args
  const words = Object.hasOwn(wordsOf, name) ? wordsOf[name]?.(args) : undefined
  if (words === undefined) return
  const found = locate(valueAfter(args, "--journal"), environment)
  const location = yield* Effect.catch(Effect.fromResult(found), refuse)
  const line = shellLine(name, ...words, "--journal", journalOf(location))
  return yield* refuse(`This program only serves. Type:\n${line}`)
})
