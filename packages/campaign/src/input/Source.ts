/**
 * The bytes of a file of rows.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import type { Readable } from "node:stream"
import { InputError } from "./InputError.ts"

export interface Source {
  /** The name in errors. */
  readonly name: string
  /** The bytes without the byte order mark. Each run of the stream reads the file from its beginning. */
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

const utf8Mark = [0xef, 0xbb, 0xbf]
const utf16Marks = [
  [0xff, 0xfe],
  [0xfe, 0xff]
]

const startsWith = (bytes: Uint8Array, mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

/** Collects the first bytes, because a byte order mark can be split over several chunks. */
const withoutMark = (name: string, bytes: Stream.Stream<Uint8Array, InputError>) => {
  const checked = (start: Uint8Array) =>
    utf16Marks.some((mark) => startsWith(start, mark))
      ? Effect.fail(
          new InputError({
            file: name,
            problem: "this is UTF-16: save it as UTF-8",
            isUsage: true
          })
        )
      : Effect.succeed(startsWith(start, utf8Mark) ? start.subarray(utf8Mark.length) : start)

  return Stream.suspend(() => {
    let start: Uint8Array | undefined = new Uint8Array()
    const rest = Effect.suspend(() =>
      start === undefined ? Effect.succeed(start) : checked(start)
    )
    return Stream.concat(
      Stream.mapEffect(bytes, (chunk) => {
        if (start === undefined) return Effect.succeed(chunk)
        start = Buffer.concat([start, chunk])
        if (start.length < utf8Mark.length) return Effect.succeed(new Uint8Array())
        const first = start
        start = undefined
        return checked(first)
      }),
      Stream.flatMap(Stream.fromEffect(rest), (last) =>
        last === undefined ? Stream.empty : Stream.make(last)
      )
    )
  })
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
  bytes: withoutMark(
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
