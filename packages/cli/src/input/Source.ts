/** The bytes of a file of rows, which can be read several times. */
import { failureCode } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type BigIntStats, createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import type { Readable } from "node:stream"
import { InputError } from "../CommandError.ts"

export interface Source {
  /** The name in errors. */
  readonly name: string
  /** Each run of the stream reads the file from its beginning, as it was when it was first read. */
  readonly bytes: Stream.Stream<Uint8Array, InputError>
  /** Fails if the file is no longer as it was when it was first read. */
  readonly unchanged: Effect.Effect<void, InputError>
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist: check the path",
  EACCES: "this user may not read it: change its rights",
  EISDIR: "this is a folder: give a file"
}

const failure = (name: string, problem: string) =>
  new InputError({ file: name, problems: [problem], isUsage: false })

const failed = (name: string) => (error: unknown) => {
  const code = failureCode(error) ?? "unknown"
  return failure(name, reasons[code] ?? `it cannot be read (${code})`)
}

const streamOf = (name: string, opened: () => Readable): Source["bytes"] =>
  Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, InputError>(opened(), failed(name)))

/** What differs after a file was written, replaced or moved. A pipe has other times after each read. */
const versionOf = (found: BigIntStats): string =>
  found.isFile() ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : ""

export const file = (path: string): Source => {
  const name = basename(path)
  let first: string | undefined
  const unchanged = Effect.flatMap(
    Effect.tryPromise({ try: () => stat(path, { bigint: true }), catch: failed(name) }),
    (found) => {
      first ??= versionOf(found)
      return versionOf(found) === first
        ? Effect.void
        : Effect.fail(failure(name, "it changed while it was read: run again"))
    }
  )
  // Asked after each piece, and at the end: who saves the file in place makes it shorter, too.
  const checked = streamOf(name, () => createReadStream(path)).pipe(
    Stream.tap(() => unchanged),
    Stream.concat(Stream.fromEffectDrain(unchanged))
  )
  return { name, bytes: Stream.concat(Stream.fromEffectDrain(unchanged), checked), unchanged }
}

/** Keeps in memory what can be read only once: after a crash, a file would leave numbers on the disk. */
export const kept = ({ bytes, name }: Pick<Source, "bytes" | "name">) =>
  Effect.map(Stream.runCollect(bytes), (chunks): Source => ({
    name,
    bytes: Stream.fromIterable(chunks),
    unchanged: Effect.void
  }))

export const fromStdin = (stdin: Readable): Effect.Effect<Source, InputError> =>
  kept({ name: "stdin", bytes: streamOf("stdin", () => stdin) }).pipe(
    // A pipe that stays open would keep the process alive after a signal.
    Effect.ensuring(Effect.sync(() => stdin.destroy()))
  )
