/** Where a journal is, as people write it: one way for commands, the server and programs. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"

/** Where a journal is. */
export type JournalLocation =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly file: string }
  /** `url` begins with `postgres://`. It needs the package `@effect/sql-pg`. */
  | {
      readonly _tag: "Postgres"
      readonly url: Redacted.Redacted
      /** Goes on although another database server took over. */
      readonly acceptFailover?: boolean
      /** Fails if the database has no journal yet. Default: it is created. */
      readonly mustExist?: boolean
    }

type Environment = Readonly<Record<string, string | undefined>>

/** A path, `memory`, or a database URL; with `_FILE`, the file that has it. */
export const journalVariable = "MESSAGING_TOPUP_JOURNAL"

/** Set by images: the file of the variable must be on a mount, because the rest of a container is new each time. */
export const mountVariable = `${journalVariable}_MUST_BE_MOUNTED`

/** Names that were given up: an ignored one would be an empty journal. */
const former = [
  "MESSAGING_TOPUP_MCP_STATE",
  "MESSAGING_TOPUP_MCP_STATE_URL",
  "MESSAGING_TOPUP_MCP_STATE_URL_FILE",
  "MESSAGING_TOPUP_MCP_JOURNAL",
  "MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL"
]

/** What is wrong with the variables, if one has a name that was given up. */
export const formerProblem = (environment: Environment): string | undefined => {
  const old = former.find((name) => (environment[name] ?? "") !== "")
  return old && `${old}: there is no such variable; where the journal is, ${journalVariable} says`
}

const isUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text)

/** Where a text says that a journal is: a path, `memory`, or a database URL that begins with `postgres://`. */
export const locationOf = (text: string): Result.Result<JournalLocation, string> => {
  if (text === "memory") return Result.succeed({ _tag: "Memory" })
  if (isUrl(text)) return Result.succeed({ _tag: "Postgres", url: Redacted.make(text) })
  // The text is not repeated: it may be an address with a password.
  return text === "" || /^(sqlite:|[a-z]+:\/\/)/i.test(text)
    ? Result.fail("give the path of a file, without sqlite:, or a URL that begins with postgres://")
    : Result.succeed({ _tag: "Sqlite", file: text })
}

const deviceOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev

/** Whether the folder of a file is on another file system than the folder around it. */
const isMounted = (file: string): boolean => {
  const folder = dirname(resolve(file))
  return deviceOf(folder) !== undefined && deviceOf(folder) !== deviceOf(dirname(folder))
}

/** The folder of the platform for what programs keep. Fails if this user has none. */
const stateFolder = (environment: Environment): string => {
  const of = (name: string): string | undefined => environment[name] || undefined
  const home = of("HOME") ?? homedir()
  if (process.platform === "darwin") return join(home, "Library", "Application Support")
  return process.platform === "win32"
    ? (of("LOCALAPPDATA") ?? join(home, "AppData", "Local"))
    : (of("XDG_STATE_HOME") ?? join(home, ".local", "state"))
}

const defaultLocation = (environment: Environment): Result.Result<JournalLocation, string> =>
  Result.try({
    try: () => ({
      _tag: "Sqlite",
      file: join(stateFolder(environment), "messaging-topup", "journal.sqlite")
    }),
    catch: () => `this user has no home folder: give --journal, or ${journalVariable}`
  })

/** What the variable says, or the file that it names. */
const variableText = (environment: Environment): Result.Result<string | undefined, string> => {
  const text = environment[journalVariable] || undefined
  const path = environment[`${journalVariable}_FILE`] || undefined
  if (path === undefined) return Result.succeed(text)
  return text === undefined
    ? Result.try({
        try: () => readFileSync(path, "utf8").trim(),
        catch: () => `${journalVariable}_FILE: the file ${path} cannot be read`
      })
    : Result.fail(`Leave out ${journalVariable} or ${journalVariable}_FILE: both are set`)
}

const labelled = (problem: string): string => `--journal (${journalVariable}): ${problem}`

/**
 * Where the journal of a program is: as `--journal` says, otherwise as the variable does, otherwise a file of
 * this user. A database URL is no argument, because other users of the machine see arguments: `postgres` takes
 * it from the variable. A failure names what is wrong, and does not repeat the value.
 */
export const locate = (
  given: string | undefined,
  environment: Environment
): Result.Result<JournalLocation, string> => {
  const old = formerProblem(environment)
  if (old !== undefined) return Result.fail(old)
  if (given !== undefined && given !== "postgres") {
    const found = isUrl(given)
      ? Result.fail(`give postgres, and the URL in ${journalVariable}`)
      : locationOf(given)
    return Result.mapError(found, labelled)
  }
  return Result.flatMap(variableText(environment), (text) => {
    if (given === "postgres" && (text === undefined || !isUrl(text))) {
      return Result.fail(
        labelled(
          `postgres needs a URL that begins with postgres:// in the variable, or in the file that ${journalVariable}_FILE names`
        )
      )
    }
    const found =
      text === undefined
        ? defaultLocation(environment)
        : Result.mapError(locationOf(text), labelled)
    const mustBeMounted = environment[mountVariable] === "true"
    return Result.filterOrFail(
      found,
      (location) => !mustBeMounted || location._tag !== "Sqlite" || isMounted(location.file),
      (location) =>
        labelled(
          `nothing is mounted at ${location._tag === "Sqlite" ? dirname(location.file) : ""}, so each container would begin with an empty journal and send everything again: mount a volume there, or give a database URL`
        )
    )
  })
}
