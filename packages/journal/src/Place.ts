/** Opens the journal at a place: one way for the command, the server and programs. */
import { ConfigurationError } from "@messaging-topup/core/internal/errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { existsSync, mkdirSync } from "node:fs"
import { dirname, isAbsolute } from "node:path"
import { type JournalError, JournalUnavailable } from "./model/Errors.ts"
import { type JournalLocation, locate, locationOf, nameOf } from "./model/Location.ts"
import type { SendJournal } from "./sends/SendJournal.ts"

/** Tells people, in a sentence, that a journal was created, and where. */
export type Tell = (sentence: string) => Effect.Effect<void>

/**
 * Creates a folder and those around it, for its owner only. One by one: Node's own way never ends where a file system
 * has no new folders, as in /proc. Errors are ignored here: the journal fails to open the file, and explains that
 * better.
 */
const makeFolder = (folder: string): void => {
  const parent = dirname(folder)
  if (parent === folder || existsSync(folder)) return
  makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {}
}

const sentenceOf = (location: JournalLocation): string => {
  const sentence = `A new journal was created: ${nameOf(location)}. What was sent before, with another journal, goes out again`
  return location._tag === "Sqlite" && !isAbsolute(location.file)
    ? `${sentence}; in another folder, this path is another journal`
    : sentence
}

/** The driver is loaded when it is used. esbuild leaves out one that is not installed only where `catch` follows the import. */
const postgres = Effect.fnUntraced(function* (url: Redacted.Redacted, isAccepted: boolean) {
  const driver = yield* Effect.promise(() =>
    import("@effect/sql-pg/PgClient").catch(() => undefined)
  )
  if (driver === undefined) return yield* new JournalUnavailable({ problem: "driver-missing" })
  const { PgClient, layer } = driver
  const { connect, failure } = yield* Effect.promise(() => import("./database/PostgresDatabase.ts"))
  const client = yield* Layer.build(layer({ url, prepare: false })).pipe(Effect.mapError(failure))
  return yield* connect(Context.get(client, PgClient), isAccepted)
})

/**
 * The journal at a location. If there is none, it is created, and `tell` says so; without `tell`, it must be there. A
 * file and its folder are for the current user only. No error contains the URL of a database.
 *
 * `isDecided`: a person decided that a file which was emptied is filled; without `tell`, that another database server is
 * accepted.
 */
export const open = (
  location: JournalLocation,
  tell?: Tell,
  isDecided = false
): Layer.Layer<SendJournal, JournalError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { layerOf } = yield* Effect.promise(() => import("./sends/JournalLayer.ts"))
      if (location._tag === "Postgres") {
        const database = postgres(location.url, isDecided && tell === undefined)
        return layerOf(database, tell?.(sentenceOf(location)))
      }
      const { connect } = yield* Effect.promise(() => import("./database/SqliteDatabase.ts"))
      if (location._tag === "Memory") return layerOf(connect(undefined, "new"), tell && Effect.void)
      if (tell === undefined) return layerOf(connect(location.file, "none"), undefined)
      makeFolder(dirname(location.file))
      const creation = isDecided ? "decided" : "new"
      return layerOf(connect(location.file, creation), tell(sentenceOf(location)))
    })
  )

/** Names the place in a failure: by default, it is another one for each user and each home. */
export const placed =
  (location: JournalLocation) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | JournalUnavailable, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof JournalUnavailable
        ? new JournalUnavailable({ ...error, journal: nameOf(location) })
        : error
    )

/** The journal of a program or of the command. That of the server names its place in the log alone: clients read its failures. */
export const openNamed = (
  ...opening: Parameters<typeof open>
): Layer.Layer<SendJournal, JournalError> =>
  Layer.effectContext(placed(opening[0])(Layer.build(open(...opening))))

const openOnce = (...opening: Parameters<typeof open>) =>
  Effect.scoped(Layer.build(open(...opening)))

/** Whether there is a journal, which is not changed. */
export const exists = (location: JournalLocation): Effect.Effect<boolean, JournalError> =>
  Effect.gen(function* () {
    if (location._tag === "Sqlite") {
      const { isJournal } = yield* Effect.promise(() => import("./database/SqliteFile.ts"))
      return yield* isJournal(location.file)
    }
    return yield* Effect.as(openOnce(location), true).pipe(
      Effect.catchIf(
        (error) => error._tag === "JournalUnavailable" && error.problem === "missing",
        () => Effect.succeed(false)
      )
    )
  })

/**
 * Creates a journal because a person says so, also in a file that was emptied, and begins lists in it. Returns the sentence
 * that says so; undefined if there is a journal already, which stays as it is.
 */
export const create = (
  location: JournalLocation
): Effect.Effect<string | undefined, JournalError> =>
  Effect.gen(function* () {
    if (yield* exists(location)) return undefined
    let said: string | undefined
    const tell: Tell = (sentence) => Effect.sync(() => void (said = sentence))
    const journal = yield* Layer.build(open(location, tell, true))
    const { WholeJournal } = yield* Effect.promise(() => import("./sends/SendJournal.ts"))
    if (said !== undefined) yield* Context.get(journal, WholeJournal).lists.begin
    return said
  }).pipe(Effect.scoped)

/** Accepts that another database server took over, because a person says so: it is then that of the journal. */
export const acceptFailover = (location: JournalLocation): Effect.Effect<void, JournalError> =>
  Effect.asVoid(openOnce(location, undefined, true))

/**
 * Where the journal of a program is: at a place as people write it, or, if it gives none, that of this user. A variable
 * that is not set is a place that is missing: with another journal, everything would be sent again.
 */
export const placeOf = (
  given: readonly [] | readonly [place: unknown]
): Result.Result<JournalLocation, ConfigurationError> => {
  const [place] = given
  const found = Predicate.isString(place)
    ? locationOf(place)
    : given.length === 0
      ? locate(undefined, process.env)
      : Result.fail(
          `it is ${place === undefined ? "undefined, as a variable that is not set" : "no text"}: give the path of a file, memory or a database URL; left out, it is the journal of this user`
        )
  return Result.mapError(
    found,
    (problem) => new ConfigurationError({ setting: "journal", problem })
  )
}

/** Where the journal of a program is that gives a file. */
export const fileOf = (file: unknown): Result.Result<string, ConfigurationError> =>
  Result.flatMap(placeOf([file]), (location) =>
    location._tag === "Sqlite"
      ? Result.succeed(location.file)
      : Result.fail(
          new ConfigurationError({ setting: "journal", problem: "give the path of a file" })
        )
  )
