/** The bytes of a file of rows. They are read once: what is shown of them goes out, whatever becomes of the file. */
import { failureCode } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import { constants, createReadStream, fstatSync, openSync, statSync } from "node:fs"
import { Socket } from "node:net"
import { basename } from "node:path"
import type { Readable } from "node:stream"
import { InputError } from "../CommandError.ts"

export interface Source {
  /** The name in errors. */
  readonly name: string
  /** They lie outside V8's heap. */
  readonly bytes: Buffer
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist: check the path",
  EACCES: "this user may not read it: change its rights",
  EISDIR: "this is a folder: give a file",
  EFBIG: "it is larger than 1 GiB: split it"
}

const limit = 1024 ** 3

const checkSize = (size: number): void => {
  if (size > limit) throw Object.assign(new Error("too large"), { code: "EFBIG" })
}

const collected = async (stream: Readable): Promise<Buffer> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of stream) {
    checkSize((size += piece.length))
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const read = (name: string, opened: () => Readable): Effect.Effect<Source, InputError> => {
  const failed = (error: unknown) => {
    const code = failureCode(error) ?? "unknown"
    const problem = reasons[code] ?? `it cannot be read (${code})`
    return new InputError({ file: name, problems: [problem], isUsage: false })
  }
  return Effect.acquireUseRelease(
    Effect.try({ try: opened, catch: failed }),
    (stream) => Effect.tryPromise({ try: () => collected(stream), catch: failed }),
    // A pipe that stays open would keep the process alive after a signal.
    (stream) => Effect.sync(() => stream.destroy())
  ).pipe(Effect.map((bytes) => ({ name, bytes })))
}

/** A file, or a pipe with a name. */
export const file = (path: string): Effect.Effect<Source, InputError> =>
  read(basename(path), () => {
    // Otherwise a pipe that nobody writes to would block a thread, which no signal ends.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(fd)
    if (found.isFIFO()) return new Socket({ fd, readable: true, writable: false })
    checkSize(found.size)
    return createReadStream(path, { fd })
  })

export const fromStdin = (stdin: Readable): Effect.Effect<Source, InputError> =>
  read("stdin", () => stdin)

/** What differs after a file was written, replaced or moved. */
const versionOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : ""
}

/** Looks at files before they are read. Returns what names those that were saved since. */
export const savedSince = (paths: ReadonlyArray<string | undefined>) =>
  Effect.sync(() => {
    const files = paths.filter((path) => path !== undefined)
    const before = files.map(versionOf)
    return Effect.sync(() =>
      files.filter((path, at) => versionOf(path) !== before[at]).map((path) => basename(path))
    )
  })
