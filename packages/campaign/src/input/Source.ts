/**
 * The bytes of a file of rows, which can be read several times.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createReadStream, type Stats } from "node:fs"
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { InputError } from "./InputError.ts"

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

const failed = (file: string) => (error: unknown) => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  const problem = reasons[code] ?? `it cannot be read (${code})`
  return new InputError({ file, problems: [problem], isUsage: false })
}

const streamOf = (name: string, opened: () => Readable): Source["bytes"] =>
  Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, InputError>(opened(), failed(name)))

const versionOf = (name: string, stat: () => Promise<Stats>): Source["version"] =>
  Effect.map(
    Effect.tryPromise({ try: stat, catch: failed(name) }),
    ({ ino, mtimeMs, size }) => `${ino} ${size} ${mtimeMs}`
  )

export const file = (path: string): Source => {
  const name = basename(path)
  const stat = async () => {
    await using opened = await open(path)
    return await opened.stat()
  }
  return {
    name,
    bytes: streamOf(name, () => createReadStream(path)),
    version: versionOf(name, stat)
  }
}

/** The file has no name any more when this returns, so that nothing is left of it after a crash. */
const unnamedFile = async (): Promise<FileHandle> => {
  const folder = await mkdtemp(join(tmpdir(), "messaging-topup-campaign-"))
  try {
    return await open(join(folder, "stdin"), "wx+", 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Keeps what can be read only once in a private file, until the scope closes. */
export const spooled = (stdin: Readable): Effect.Effect<Source, InputError, Scope.Scope> => {
  const name = "stdin"
  return Effect.acquireRelease(
    Effect.tryPromise({ try: unnamedFile, catch: failed(name) }),
    (opened) => Effect.promise(() => opened.close())
  ).pipe(
    Effect.tap((opened) =>
      Effect.tryPromise({
        try: (signal) =>
          pipeline(stdin, opened.createWriteStream({ autoClose: false, flush: false }), { signal }),
        catch: failed(name)
      })
    ),
    Effect.map((opened) => ({
      name,
      bytes: streamOf(name, () => opened.createReadStream({ autoClose: false, start: 0 })),
      version: versionOf(name, () => opened.stat())
    }))
  )
}
