/** Opens the journal at a place: one way for the command, the server and programs. */
import { InvalidInput } from "@messaging-topup/core/internal/errors"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { existsSync, mkdirSync } from "node:fs"
import { dirname, isAbsolute, resolve } from "node:path"
import { type JournalError, JournalUnavailable } from "./model/Errors.ts"
import { type JournalLocation, locate, locationOf } from "./model/Location.ts"
import { SendJournal } from "./sends/SendJournal.ts"

/** Tells people, in a sentence, that a journal was created, and where. */
export type Tell = (sentence: string) => Effect.Effect<void>

/** The place of a journal, as people read it. */
export const nameOf = (location: JournalLocation): string => {
  if (location._tag === "Sqlite") return resolve(location.file)
  return location._tag === "Postgres" ? "PostgreSQL" : "memory"
}

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
  const sentence = `A new journal was created: ${nameOf(location)}`
  return location._tag === "Sqlite" && !isAbsolute(location.file)
    ? `${sentence}. Its path depends on the current folder: from another one, everything is sent again`
    : sentence
}

/** How a journal is opened. */
interface Opening {
  /** Without it, the journal must be there. */
  readonly tell?: Tell | undefined
  /** A person decides that a file which was emptied is filled, or that another database server is accepted. */
  readonly isDecided?: boolean
}

const layerAt = Effect.fnUntraced(function* (
  location: JournalLocation,
  { isDecided = false, tell }: Opening
) {
  const created = tell && (location._tag === "Memory" ? Effect.void : tell(sentenceOf(location)))
  const { layerOf } = yield* Effect.promise(() => import("./sends/JournalLayer.ts"))
  if (location._tag === "Postgres") {
    const { PgClient, layer } = yield* Effect.tryPromise({
      try: () => import("@effect/sql-pg/PgClient"),
      catch: () => new JournalUnavailable({ problem: "driver-missing" })
    })
    const { connect, failure } = yield* Effect.promise(
      () => import("./database/PostgresDatabase.ts")
    )
    const connected = Effect.flatMap(PgClient, (client) =>
      connect(client, isDecided && tell === undefined)
    )
    return Layer.provide(
      layerOf(connected, created),
      layer({ url: location.url, prepare: false })
    ).pipe(
      Layer.catchTag("SqlError", (error) => Layer.effect(SendJournal, Effect.fail(failure(error))))
    )
  }
  const { connect } = yield* Effect.promise(() => import("./database/SqliteDatabase.ts"))
  const file = location._tag === "Memory" ? undefined : location.file
  if (file !== undefined && created !== undefined) makeFolder(dirname(file))
  if (created === undefined) return layerOf(connect(file, "none"), created)
  return layerOf(connect(file, isDecided ? "decided" : "new"), created)
})

/**
 * The journal at a location. If there is none, it is created, and `tell` says so; without `tell`, it must be there. A
 * file and its folder are for the current user only. No error contains the URL of a database.
 */
export const open = (
  location: JournalLocation,
  tell?: Tell
): Layer.Layer<SendJournal, JournalError> => Layer.unwrap(layerAt(location, { tell }))

const openOnce = (location: JournalLocation, opening: Opening) =>
  Effect.scoped(Layer.build(Layer.unwrap(layerAt(location, opening))))

/**
 * Creates a journal by a person's decision, also in a file that was emptied. Returns the sentence that says so;
 * undefined if there is a journal already, which stays as it is.
 */
export const create = (
  location: JournalLocation
): Effect.Effect<string | undefined, JournalError> =>
  Effect.suspend(() => {
    let said: string | undefined
    const tell = (sentence: string) => Effect.sync(() => void (said = sentence))
    return Effect.map(openOnce(location, { tell, isDecided: true }), () => said)
  })

/** Accepts that another database server took over, by a person's decision: it is then that of the journal. */
export const acceptFailover = (location: JournalLocation): Effect.Effect<void, JournalError> =>
  Effect.asVoid(openOnce(location, { isDecided: true }))

/** The journal of a program, at a place as people write it, or that of this user. */
export const openPlace = (
  place: string | undefined,
  tell: Tell
): Layer.Layer<SendJournal, InvalidInput | JournalError> =>
  Result.match(place === undefined ? locate(undefined, process.env) : locationOf(place), {
    onSuccess: (location) => open(location, tell),
    onFailure: (problem) =>
      Layer.effect(
        SendJournal,
        Effect.fail(new InvalidInput({ operation: "openJournal", field: "journal", problem }))
      )
  })
