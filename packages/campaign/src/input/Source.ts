/**
 * The bytes of a file of rows.
 */
import * as Stream from "effect/Stream"
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import type { Readable } from "node:stream"
import { decoded } from "./Encoding.ts"
import { InputError } from "./InputError.ts"

export interface Source {
  /** The name in errors. */
  readonly name: string
  /** The text as UTF-8, without a byte order mark. Each run of the stream reads the file from its beginning. */
  readonly bytes: Stream.Stream<Uint8Array, InputError>
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist: check the path",
  EACCES: "this user may not read it: change its rights",
  EISDIR: "this is a folder: give a file"
}

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  return reasons[code] ?? `it cannot be read (${code})`
}

/**
 * Destroys the stream at `return`. The stream's own iterator would wait for the next chunk, which may
 * never come.
 */
const iterable = (stream: Readable): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const chunks = stream[Symbol.asyncIterator]()
    return {
      next: () => chunks.next(),
      return: () => {
        stream.destroy()
        return Promise.resolve({ done: true, value: undefined })
      }
    }
  }
})

const chunkBytes = 64 * 1024

const make = (name: string, open: () => Readable): Source => ({
  name,
  bytes: decoded(
    name,
    Stream.suspend(() =>
      Stream.fromAsyncIterable<Uint8Array, InputError>(
        iterable(open()),
        (error) => new InputError({ file: name, problem: reasonOf(error), isUsage: false })
      )
    )
  )
})

export const file = (path: string): Source =>
  make(basename(path), () => createReadStream(path, { highWaterMark: chunkBytes }))

export const stdin = (stream: Readable): Source => make("stdin", () => stream)
