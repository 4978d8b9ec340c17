/**
 * Where the state of the guards is stored.
 */
import type { JournalLocation } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment, UsageError } from "@messaging-topup/sandbox/command-line"
import { badOption, type Given, stateUrlFileVariable, stateUrlVariable } from "../Options.ts"
import * as OptionValues from "./OptionValues.ts"

/** Returns the folder of the platform for the state of programs. */
const stateFolder = (environment: Environment): string => {
  const of = (name: string): string | undefined => environment[name] || undefined
  const home = of("HOME") ?? homedir()
  if (process.platform === "darwin") return join(home, "Library", "Application Support")
  return process.platform === "win32"
    ? (of("LOCALAPPDATA") ?? join(home, "AppData", "Local"))
    : (of("XDG_STATE_HOME") ?? join(home, ".local", "state"))
}

const readUrl = Effect.fnUntraced(function* (environment: Environment) {
  const inline = environment[stateUrlVariable] || undefined
  const path = environment[stateUrlFileVariable] || undefined
  if ((inline === undefined) === (path === undefined)) {
    return yield* badOption(
      "state",
      `postgres needs a database URL in ${stateUrlVariable}, or in the file that ${stateUrlFileVariable} names`
    )
  }
  const text =
    path === undefined ? inline : yield* OptionValues.fileText(stateUrlFileVariable, path)
  const url = (text ?? "").trim()
  return /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? "")
    ? Redacted.make(url)
    : yield* badOption("state", "the database URL must begin with postgres://")
})

const sqlite = "sqlite:"

/** Writes a place as `--state` takes it. */
export const placeOf = (state: JournalLocation): string => {
  switch (state._tag) {
    case "Memory":
      return "memory"
    case "Sqlite":
      return `${sqlite}${state.file}`
    case "Postgres":
      return "postgres"
  }
}

const defaultFile = (environment: Environment): Effect.Effect<string, UsageError> =>
  Effect.try({
    try: () => join(stateFolder(environment), "messaging-topup", "mcp", "sends.sqlite"),
    catch: () => badOption("state", "this user has no home folder: give sqlite: and a path")
  })

/** Without `--state`, a file of this user. */
export const read = Effect.fnUntraced(function* (
  given: Given,
  environment: Environment
): Effect.fn.Return<JournalLocation, UsageError> {
  const text = yield* given.value("state")
  if (text === undefined) return { _tag: "Sqlite", file: yield* defaultFile(environment) }
  if (text === "memory") return { _tag: "Memory" }
  if (text === "postgres") return { _tag: "Postgres", url: yield* readUrl(environment) }
  return text.startsWith(sqlite) && text.length > sqlite.length
    ? { _tag: "Sqlite", file: text.slice(sqlite.length) }
    : yield* badOption("state", "give memory, postgres or sqlite: and a path")
})
