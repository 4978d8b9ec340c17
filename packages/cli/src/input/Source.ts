/** The bytes of a file of rows. They are read once: what is shown of them goes out, whatever becomes of the file. */
import { failureCode } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { constants, createReadStream, fstatSync, openSync, statSync } from "node:fs"
import { Socket } from "node:net"
import { basename, resolve } from "node:path"
import type { Readable } from "node:stream"
import { InputError } from "../CommandError.ts"

/** What is still known of a file after it was read. */
export interface ReadFile {
  /** The name in errors. */
  readonly name: string
  /** Whether it can be read only once, as stdin: then it is no name for anything. */
  readonly isPipe: boolean
  /** Whether the file has other bytes now, or cannot be read. A pipe is as it was. */
  readonly isChanged: Effect.Effect<boolean>
}

export interface Source extends ReadFile {
  /** They lie outside V8's heap. */
  readonly bytes: Buffer
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist: check the path",
  EACCES: "this user may not read it: change its rights",
  EISDIR: "this is a folder: give a file"
}

const limit = 500 * 1024 * 1024

interface Opened {
  readonly stream: Readable
  /** 0 if it is not known. */
  readonly size: number
}

/** Gives `take` each piece of a file. */
const readAll = (
  name: string,
  opened: () => Opened,
  take: (piece: Buffer) => void
): Effect.Effect<void, InputError> => {
  const problem = (text: string) => new InputError({ file: name, problems: [text], isUsage: false })
  const failed = (error: unknown) => {
    const code = failureCode(error) ?? "unknown"
    return problem(reasons[code] ?? `it cannot be read (${code})`)
  }
  const tooLarge = Effect.fail(problem("it is larger than 500 MiB: split it"))
  const toEnd = ({ size, stream }: Opened) => {
    if (size > limit) return tooLarge
    return Effect.callback<void, InputError>((resume) => {
      let taken = 0
      stream.on("data", (piece: Buffer) => {
        taken += piece.length
        if (taken > limit) resume(tooLarge)
        else take(piece)
      })
      stream.once("end", () => resume(Effect.void))
      stream.once("error", (error) => resume(Effect.fail(failed(error))))
    })
  }
  return Effect.acquireUseRelease(
    Effect.try({ try: opened, catch: failed }),
    toEnd,
    // A pipe that stays open would keep the process alive after a signal.
    ({ stream }) => Effect.sync(() => stream.destroy())
  )
}

const collected = Effect.fnUntraced(function* (name: string, opened: () => Opened) {
  const pieces = new Array<Buffer>()
  yield* readAll(name, opened, (piece) => void pieces.push(piece))
  return Buffer.concat(pieces)
})

const openedAt = (path: string) => (): Opened => {
  // Otherwise a pipe that nobody writes to would block a thread, which no signal ends.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const found = fstatSync(fd)
  const stream = found.isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream(path, { fd })
  return { stream, size: found.size }
}

const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("base64")

/** A save that writes the same bytes is none. */
const isChangedFrom = (path: string, digest: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    if (yield* isPipe(path)) return true
    const hash = createHash("sha256")
    yield* readAll("", openedAt(path), (piece) => void hash.update(piece))
    return hash.digest("base64") !== digest
  }).pipe(Effect.orElseSucceed(() => true))

/** What the shell opened for this command. The folder /dev/shm has files. */
const descriptor = /^\/(?:dev\/(?:fd\/|std)|proc\/)/

/** Whether a path is that of stdin or of a pipe. The shell names a pipe by a number, which the next one has, too. */
export const isPipe = (path: string): Effect.Effect<boolean> =>
  Effect.try(() => {
    if (path === "-" || descriptor.test(resolve(path))) return true
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory()
  }).pipe(Effect.orElseSucceed(() => false))

export const file = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<Source, InputError> {
  const name = path.startsWith("/dev/fd/") ? "pipe" : basename(path)
  const bytes = yield* collected(name, openedAt(path))
  return (yield* isPipe(path))
    ? { name, bytes, isPipe: true, isChanged: Effect.succeed(false) }
    : { name, bytes, isPipe: false, isChanged: isChangedFrom(path, digestOf(bytes)) }
})

export const fromStdin = (stdin: Readable): Effect.Effect<Source, InputError> =>
  Effect.map(
    collected("stdin", () => ({ stream: stdin, size: 0 })),
    (bytes) => ({ name: "stdin", bytes, isPipe: true, isChanged: Effect.succeed(false) })
  )
