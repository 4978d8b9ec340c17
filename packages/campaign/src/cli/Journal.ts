/**
 * The journal that `--journal` names.
 */
import { UsageError } from "@messaging-topup/sandbox/command-line"
import type { JournalLocation } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import { commandLine } from "../report/CommandLine.ts"
import { CannotRun } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"

export const defaultFile = "./messaging-topup-campaign.sqlite"
export const addressVariable = "MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL"

const sqlite = "sqlite:"

/** Returns the journal that `--journal` names, or the default. */
export const choose = Effect.fnUntraced(function* (
  given: string | undefined
): Effect.fn.Return<JournalLocation, UsageError, Invocation> {
  if (given === undefined) return { _tag: "Sqlite", file: defaultFile }
  if (given.startsWith(sqlite) && given.length > sqlite.length) {
    return { _tag: "Sqlite", file: given.slice(sqlite.length) }
  }
  if (given !== "postgres") {
    // The error does not contain the value: it may be an address with a password.
    return yield* new UsageError({
      problem: `--journal: give sqlite:FILE, or postgres with the address in ${addressVariable}`
    })
  }
  const { environment } = yield* Invocation
  const url = environment[addressVariable] ?? ""
  return url === ""
    ? yield* new UsageError({ problem: `--journal postgres: ${addressVariable} is not set` })
    : { _tag: "Postgres", url: Redacted.make(url) }
})

/** Fails if the file does not exist, so that a misspelled path does not create an empty journal. */
export const requireExisting = (
  choice: JournalLocation
): Effect.Effect<JournalLocation, CannotRun> =>
  choice._tag === "Sqlite" && !existsSync(choice.file)
    ? Effect.fail(
        new CannotRun({ problem: `The journal ${choice.file} does not exist: check --journal` })
      )
    : Effect.succeed(choice)

/** The name for a person. The address of PostgreSQL could contain a password. */
export const nameOf = (choice: JournalLocation): string =>
  choice._tag === "Sqlite" ? choice.file : choice._tag.toLowerCase()

/** The arguments that select this journal; none for the default. */
const argsOf = (choice: JournalLocation): ReadonlyArray<string> => {
  switch (choice._tag) {
    case "Memory":
      return []
    case "Sqlite":
      return choice.file === defaultFile ? [] : ["--journal", `${sqlite}${choice.file}`]
    case "Postgres":
      return ["--journal", "postgres"]
  }
}

/** Another command on the campaign, as a line that a person can copy. */
export const lineOf = (
  choice: JournalLocation,
  command: string,
  campaign: string,
  ...args: ReadonlyArray<string>
): string => commandLine(command, "--campaign", campaign, ...argsOf(choice), ...args)
