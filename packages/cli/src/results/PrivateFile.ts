/** The file that `--out` names: only the current user may read it, and it is written whole or not at all. */
import { Invocation, print, refuse, text as textOption } from "@messaging-topup/command"
import { failureCode } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { realpathSync, statSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { cannotRun, type CommandError } from "../CommandError.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"

export const out = {
  out: textOption("file", "stdout", "The file to write; only you may read it")
}

const ownerOnly = 0o600

const tryTo = <A>(write: () => Promise<A>) =>
  Effect.catch(Effect.tryPromise(write), (error) =>
    cannotRun(`--out: the file cannot be written (${failureCode(error) ?? "unknown"})`)
  )

/** The path of a file behind symbolic links. What does not exist is in a folder that may. */
const realPath = (path: string): Effect.Effect<string> =>
  Effect.catch(
    Effect.try(() => realpathSync(path)),
    () =>
      dirname(path) === path
        ? Effect.succeed(path)
        : Effect.map(realPath(dirname(path)), (folder) => join(folder, basename(path)))
  )

/** The same for all links to one file. */
const identityOf = Effect.fnUntraced(function* (path: string) {
  const real = yield* realPath(path)
  const stats = Effect.try(() => statSync(real, { bigint: true }))
  const identity = Effect.map(stats, ({ dev, ino }) => `${dev} ${ino}`)
  return yield* Effect.orElseSucceed(identity, () => real)
})

interface Target extends ChosenJournal.JournalFlags {
  readonly exclude: string | undefined
  readonly file: string | undefined
  readonly out: string | undefined
}

/**
 * Fails if the text would go to a terminal, or over a file that the command reads. Call it before any work
 * is done.
 */
export const requireTarget = Effect.fnUntraced(function* (
  flags: Target,
  example: string
): Effect.fn.Return<void, CommandError, Invocation> {
  const { exclude, file, out: given } = flags
  if (given === undefined) {
    if (!(yield* Invocation).terminal.isRead) return
    return yield* refuse(
      `A terminal is no place for this: give --out ${example}, or redirect stdout`
    )
  }
  const journal = yield* ChosenJournal.choose(flags)
  const stored = journal._tag === "Sqlite" ? yield* realPath(journal.file) : undefined
  const inputs = [
    ["list", file],
    ["stop list", exclude],
    ["journal", stored],
    // SQLite repairs the journal with what lies here.
    ["journal", stored && `${stored}-journal`]
  ] as const
  const target = yield* identityOf(given)
  for (const [what, path] of inputs) {
    if (path !== undefined && (yield* identityOf(path)) === target) {
      return yield* refuse(`--out: ${given} is the ${what}, which would be lost: give another file`)
    }
  }
})

type Write = (text: string) => Effect.Effect<void, CommandError, Invocation>

/** Opens a new file beside the old one. A device or a pipe cannot be replaced. */
const opened = Effect.fnUntraced(function* (given: string) {
  const target = yield* realPath(given)
  const isFile = Effect.try(() => statSync(target).isFile())
  const isReplaced = yield* Effect.orElseSucceed(isFile, () => true)
  const path = isReplaced ? `${target}.${randomUUID()}.part` : target
  const file = yield* tryTo(() => open(path, isReplaced ? "wx" : "w", ownerOnly))
  return {
    file,
    /** Puts the new file into the place of the old one. */
    keep: tryTo(() => file.close().then(() => (isReplaced ? rename(path, target) : undefined))),
    /** Removes the new file, unless it was kept. */
    end: Effect.promise(() =>
      file.close().then(() => (isReplaced ? rm(path, { force: true }) : undefined))
    )
  }
})

/**
 * Runs `use`, which writes lines to a file, or to stdout without one. An older file is replaced when `use` has
 * succeeded, and stays otherwise.
 */
export const writeTo = <A, R>(
  given: string | undefined,
  use: (write: Write) => Effect.Effect<A, CommandError, R>
): Effect.Effect<A, CommandError, Invocation | R> => {
  if (given === undefined) return use(print)
  return Effect.acquireUseRelease(
    opened(given),
    ({ file, keep }) =>
      Effect.tap(
        use((text) => tryTo(() => file.writeFile(`${text}\n`))),
        () => keep
      ),
    ({ end }) => end
  )
}
