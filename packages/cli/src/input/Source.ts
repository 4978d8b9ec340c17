/** The bytes of a file of rows, which can be read several times. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import type { Readable } from "node:stream"
import { InputError } from "../Failure.ts"

export interface Source {
  /** The name in errors. */
  readonly name: string
  /** Each run of the stream reads the file from its beginning. */
  readonly bytes: Stream.Stream<Uint8Array, InputError>
  /** Identifies the current version of the file, to find changes. */
  readonly version: Effect.Effect<string, InputError>
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist: check the path",
  EACCES: "this user may not read it: change its rights",
  EISDIR: "this is a folder: give a file"
}

const failed = (name: string) => (error: unknown) => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  const problem = reasons[code] ?? `it cannot be read (${code})`
  return new InputError({ file: name, problems: [problem], isUsage: false })
}

const streamOf = (name: string, opened: () => Readable): Source["bytes"] =>
  Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, InputError>(opened(), failed(name)))

export const file = (path: string): Source => {
  const name = basename(path)
  return {
    name,
    bytes: streamOf(name, () => createReadStream(path)),
    version: Effect.map(
      Effect.tryPromise({ try: () => stat(path), catch: failed(name) }),
      ({ ino, mtimeMs, size }) => `${ino} ${size} ${mtimeMs}`
    )
  }
}

/** Keeps in memory what can be read only once: after a crash, a file would leave numbers on the disk. */
export const kept = (stdin: Readable): Effect.Effect<Source, InputError> =>
  Stream.runCollect(streamOf("stdin", () => stdin)).pipe(
    // A pipe that stays open would keep the process alive after a signal.
    Effect.ensuring(Effect.sync(() => stdin.destroy())),
    Effect.map((chunks) => ({
      name: "stdin",
      bytes: Stream.fromIterable(chunks),
      version: Effect.succeed("")
    }))
  )
