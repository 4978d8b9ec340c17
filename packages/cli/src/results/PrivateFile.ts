/** The file that `--out` names: only the current user may read it, and it is written whole or not at all. */
import { Invocation, print, refuse, text as textOption } from "@messaging-topup/command"
import { failureCode } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { createReadStream, existsSync, realpathSync, statSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { text as textFrom } from "node:stream/consumers"
import { cannotRun, type CommandError } from "../CommandError.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"

export const out = {
  out: textOption("file", "stdout", "The file to write; only you may read it")
}

const ownerOnly = 0o600

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there: give another file",
  EISDIR: "it is a folder: give a file",
  ENOENT: "its folder does not exist: create it, or give another file",
  ENOSPC: "there is no space left: make some, or give another file"
}

const tryTo = <A>(path: string, write: () => Promise<A>) =>
  Effect.catch(Effect.tryPromise(write), (error) => {
    const code = failureCode(error) ?? "unknown"
    return cannotRun(`--out: ${path} cannot be written: ${reasons[code] ?? code}`)
  })

/** The path of a file behind symbolic links. What does not exist is in a folder that may. */
const realPath = (path: string): string => {
  if (existsSync(path)) return realpathSync(path)
  const folder = dirname(path)
  return folder === path ? path : join(realPath(folder), basename(path))
}

/** The same for all links to one file. */
const identityOf = (path: string): string => {
  const real = realPath(path)
  if (!existsSync(real)) return real
  const { dev, ino } = statSync(real, { bigint: true })
  return `${dev} ${ino}`
}

interface Target extends ChosenJournal.JournalFlags {
  readonly exclude: string | undefined
  readonly file: string | undefined
  readonly out: string | undefined
}

/** What a command writes. */
interface Written {
  readonly command: string
  readonly example: string
  /** What every such file has in its beginning. */
  readonly mark: RegExp
}

/** So many bytes of a file are its beginning. */
const beginning = 64 * 1024

/**
 * Fails if the text would go to a terminal, over a file that the command reads, or over one that it did not write.
 * Call it before any work is done.
 */
export const requireTarget = Effect.fnUntraced(function* (
  flags: Target,
  { command, example, mark }: Written
): Effect.fn.Return<void, CommandError, Invocation> {
  const { exclude, file, out: given } = flags
  if (given === undefined) {
    if (!(yield* Invocation).terminal.isRead) return
    return yield* refuse(`A terminal is no place for this: give --out ${example}`)
  }
  const journal = yield* ChosenJournal.choose(flags)
  const stored = journal._tag === "Sqlite" ? realPath(journal.file) : undefined
  const inputs = [
    ["list", file],
    ["stop list", exclude],
    ["journal", stored],
    // SQLite repairs the journal with what lies here.
    ["journal", stored && `${stored}-journal`]
  ] as const
  const target = identityOf(given)
  for (const [what, path] of inputs) {
    if (path !== undefined && identityOf(path) === target) {
      return yield* refuse(`--out: ${given} is the ${what}, which would be lost: give another file`)
    }
  }
  const path = realPath(given)
  if (!existsSync(path) || !statSync(path).isFile()) return
  const begins = yield* tryTo(given, () => textFrom(createReadStream(path, { end: beginning })))
  if (begins !== "" && !mark.test(begins)) {
    return yield* refuse(
      `--out: ${given} is a file that ${command} did not write, and would be lost: give another file`
    )
  }
})

type Write = (text: string) => Effect.Effect<void, CommandError, Invocation>

/**
 * Runs `use`, which writes lines to a file, or to stdout without one. The lines go into a new file beside the old
 * one, which is replaced when `use` has succeeded, and stays otherwise. A device or a pipe cannot be replaced.
 */
export const writeTo = <A, R>(
  given: string | undefined,
  use: (write: Write) => Effect.Effect<A, CommandError, R>
): Effect.Effect<A, CommandError, Invocation | R> =>
  Effect.suspend(() => {
    if (given === undefined) return use(print)
    const target = realPath(given)
    const isReplaced = !existsSync(target) || statSync(target).isFile()
    const path = isReplaced ? `${target}.${randomUUID()}.part` : target
    return Effect.acquireUseRelease(
      tryTo(given, () => open(path, isReplaced ? "wx" : "w", ownerOnly)),
      (file) =>
        Effect.tap(
          use((text) => tryTo(given, () => file.writeFile(`${text}\n`))),
          () =>
            tryTo(given, () =>
              file.close().then(() => (isReplaced ? rename(path, target) : undefined))
            )
        ),
      // Nothing is left of it after the rename.
      (file) =>
        Effect.promise(() =>
          file.close().then(() => (isReplaced ? rm(path, { force: true }) : undefined))
        )
    )
  })
