/**
 * The bytes of a file of rows, which can be read several times.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createReadStream, type Stats } from "node:fs"
import { mkdtemp, open, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { Readable } from "node:stream"
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

const failed = (name: string) => (error: unknown) => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  const problem = reasons[code] ?? `it cannot be read (${code})`
  return new InputError({ file: name, problems: [problem], isUsage: false })
}

const streamOf = (name: string, opened: () => Readable): Source["bytes"] =>
  Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, InputError>(opened(), failed(name)))

const versionOf = (name: string, read: () => Promise<Stats>): Source["version"] =>
  Effect.map(
    Effect.tryPromise({ try: read, catch: failed(name) }),
    ({ ino, mtimeMs, size }) => `${ino} ${size} ${mtimeMs}`
  )

export const file = (path: string): Source => {
  const name = basename(path)
  return {
    name,
    bytes: streamOf(name, () => createReadStream(path)),
    version: versionOf(name, () => stat(path))
  }
}

const chunkBytes = 64 * 1024

/** Keeps what can be read only once in a private file, until the scope closes. */
export const spooled = (stdin: Readable): Effect.Effect<Source, InputError, Scope.Scope> => {
  const name = "stdin"
  const tryTo = <A>(use: () => Promise<A>) => Effect.tryPromise({ try: use, catch: failed(name) })
  return Effect.gen(function* () {
    const folder = yield* tryTo(() => mkdtemp(join(tmpdir(), "messaging-topup-campaign-")))
    const opened = yield* Effect.acquireRelease(
      tryTo(() => open(join(folder, name), "wx+", 0o600)),
      (handle) => Effect.promise(() => handle.close())
    ).pipe(
      // The file has no name from now on, so that nothing is left of it after a crash.
      Effect.ensuring(Effect.promise(() => rm(folder, { recursive: true, force: true })))
    )
    yield* Stream.runForEach(
      streamOf(name, () => stdin),
      (chunk) => tryTo(() => opened.writeFile(chunk))
    )
    const readAt = (offset: number) =>
      Effect.map(
        tryTo(() => opened.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offset)),
        ({ buffer, bytesRead }) =>
          [
            [buffer.subarray(0, bytesRead)],
            bytesRead === 0 ? Option.none<number>() : Option.some(offset + bytesRead)
          ] as const
      )
    const source: Source = {
      name,
      bytes: Stream.paginate(0, readAt),
      version: versionOf(name, () => opened.stat())
    }
    return source
  })
}
