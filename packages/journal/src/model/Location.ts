/** Where a journal is, as people write it: one way for commands, the server and programs. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, posix, resolve, win32 } from "node:path"
import { inMemory, journalVariable, nameInPostgres } from "./JournalName.ts"
import { problemOfUrl } from "./DatabaseUrl.ts"
import { readVariable } from "./Variable.ts"

/** Where a journal is. */
export type JournalLocation =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly file: string }
  /** `url` begins with `postgres://`. It needs the package `@effect/sql-pg`. */
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

/** The place of a journal, as people read it. */
export const nameOf = (location: JournalLocation): string => {
  if (location._tag === "Sqlite") return resolve(location.file)
  return location._tag === "Postgres"
    ? nameInPostgres({ url: Redacted.value(location.url) })
    : inMemory
}

type Environment = Readonly<Record<string, string | undefined>>

/** Set by images: the file of the variable must be on a mount, because the rest of a container is new each time. */
export const mountVariable = `${journalVariable}_MUST_BE_MOUNTED`

const isUrl = (text: string): boolean => /^postgres(ql)?:\/\//.test(text)

/**
 * What is no path, although a file could have this name: a URL, which may have a password; what a shell or a
 * settings file left as it was; another spelling of what is no file.
 */
const misread = [
  /^["'`]|["'`]$/,
  /:\/\//,
  /^postgres(ql)?([:;]|\/\/|$)/i,
  /(password|pwd)=/i,
  // A connection string, such as host=… dbname=…
  /^[\w ]+=/,
  // User and password before a server.
  /:[^/\\]*@/,
  /^(file|jdbc|sqlite):/i,
  /^[~$%]/,
  /^:?memory:?$/i,
  // A folder.
  /[/\\]$/,
  // oxlint-disable-next-line no-control-regex
  /[\0-\x1f\x7f]/
]

/** Where a text says that a journal is: a path, `memory`, or a database URL that begins with `postgres://`. */
export const locationOf = (given: string): Result.Result<JournalLocation, string> => {
  const text = given.trim()
  if (text === "memory") return Result.succeed({ _tag: "Memory" })
  if (isUrl(text)) {
    const problem = problemOfUrl(text)
    return problem === undefined
      ? Result.succeed({ _tag: "Postgres", url: Redacted.make(text) })
      : Result.fail(problem)
  }
  // The text is not repeated: it may be a URL with a password.
  return text === "" || misread.some((pattern) => pattern.test(text))
    ? Result.fail(
        "give the path of a file as it is, without quotes, ~, variables, sqlite: and a slash at its end, or memory, or a URL that begins with postgres://"
      )
    : Result.succeed({ _tag: "Sqlite", file: text })
}

const deviceOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev

/** Whether the folder of a file is on another file system than the folder around it. */
const isMounted = (file: string): boolean => {
  const folder = dirname(resolve(file))
  return deviceOf(folder) !== undefined && deviceOf(folder) !== deviceOf(dirname(folder))
}

/**
 * The file of this user; undefined if there is no home folder. A relative path is ignored, because it would be another
 * journal in each folder. Source: https://specifications.freedesktop.org/basedir/latest
 */
const fileOfUser = (environment: Environment, platform: string): string | undefined => {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix
  const fileIn = (folder: string | undefined, ...names: ReadonlyArray<string>) =>
    folder !== undefined && isAbsolute(folder)
      ? join(folder, ...names, "messaging-topup", "journal.sqlite")
      : undefined
  const home = Result.getOrUndefined(Result.try(() => environment["HOME"] ?? homedir()))
  if (platform === "darwin") return fileIn(home, "Library", "Application Support")
  return platform === "win32"
    ? (fileIn(environment["LOCALAPPDATA"]) ?? fileIn(home, "AppData", "Local"))
    : (fileIn(environment["XDG_STATE_HOME"]) ?? fileIn(home, ".local", "state"))
}

const defaultLocation = (environment: Environment, platform: string) =>
  Result.fromNullishOr(
    fileOfUser(environment, platform),
    () => `this user has no home folder: set ${journalVariable}`
  ).pipe(Result.map((file): JournalLocation => ({ _tag: "Sqlite", file })))

/** What `--journal` takes for the journal that the variable names; undefined if it names none. */
export const argumentOfVariable = (environment: Environment): string | undefined => {
  const named = Result.flatMap(readVariable(environment, journalVariable), (read) =>
    locationOf(read?.text ?? "")
  )
  if (Result.isFailure(named)) return undefined
  const { success: location } = named
  return location._tag === "Sqlite" ? resolve(location.file) : location._tag.toLowerCase()
}

/** `variable` is the one that was read. */
const labelled = (problem: string, variable = journalVariable): string =>
  `--journal (${variable}): ${problem}`

/** A variable that was to name a journal: that of this user would send again what went out. */
const emptyVariable = (environment: Environment): string | undefined =>
  [journalVariable, `${journalVariable}_FILE`].find((name) => environment[name] === "")

/**
 * Where the journal of a program is: as `--journal` says, otherwise as the variable does, otherwise a file of
 * this user. A database URL is no argument, because other users of the machine see arguments: `postgres` takes
 * it from the variable. A failure names what is wrong, and does not repeat the value.
 */
export const locate = (
  argument: string | undefined,
  environment: Environment,
  platform: string = process.platform
): Result.Result<JournalLocation, string> => {
  const named = argument?.trim()
  // A line that people copy gives the file of the variable as an argument, and an image refuses it all the same.
  const isSame = named && resolve(named) === argumentOfVariable(environment)
  const given = isSame ? undefined : named
  if (given !== undefined && given !== "postgres") {
    const found = isUrl(given)
      ? Result.fail(`give postgres, and the URL in ${journalVariable}`)
      : locationOf(given)
    return Result.mapError(found, (problem) => labelled(problem))
  }
  const empty = emptyVariable(environment)
  if (empty !== undefined) {
    return Result.fail(
      labelled(
        "the variable is empty: give it the journal's place, or unset it for the journal of this user",
        empty
      )
    )
  }
  return Result.flatMap(readVariable(environment, journalVariable), (read) => {
    const text = read?.text
    const label = (problem: string) => labelled(problem, read?.source)
    if (given === "postgres" && !isUrl(text ?? "")) {
      return Result.fail(
        label(
          `postgres needs a URL that begins with postgres:// in the variable, or in the file that ${journalVariable}_FILE names`
        )
      )
    }
    const found =
      text === undefined
        ? defaultLocation(environment, platform)
        : Result.mapError(locationOf(text), label)
    const mustBeMounted = environment[mountVariable] === "true"
    return Result.filterOrFail(
      found,
      (location) => !mustBeMounted || location._tag !== "Sqlite" || isMounted(location.file),
      (location) =>
        label(
          `nothing is mounted at ${location._tag === "Sqlite" ? dirname(location.file) : ""}, so each container would begin with an empty journal and send everything again: mount a volume there, or give a database URL`
        )
    )
  })
}
