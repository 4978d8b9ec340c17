/**
 * Finds out how a file is encoded, and decodes it to UTF-8.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InputError } from "./InputError.ts"
import type { Source } from "./Source.ts"

export type Encoding = "utf-16be" | "utf-16le" | "utf-8" | "windows-1252"

const saveAsCsv = "save it as CSV UTF-8 in the spreadsheet, and give that file"

const startsWith = (bytes: Uint8Array, ...start: ReadonlyArray<number>): boolean =>
  start.every((byte, index) => bytes[index] === byte)

/** Returns what the file is, if it is no text. */
const otherFile = (start: Uint8Array): string | undefined => {
  if (startsWith(start, 0x50, 0x4b, 3, 4)) {
    return `this is a workbook (xlsx or ods) or another zip file: if it is a workbook, ${saveAsCsv}`
  }
  return startsWith(start, 0xd0, 0xcf, 0x11, 0xe0)
    ? `this is an old workbook (xls): ${saveAsCsv}`
    : undefined
}

/** Bytes that Windows-1252 does not have, and the NUL, which UTF-16 without a mark is full of. */
const notWindows = /[\0\x81\x8d\x8f\x90\x9d]/

/** What a decoder that replaces wrong bytes makes of correct UTF-8 beyond ASCII. */
const beyondAscii = /[\u0080-\ufffc]/

const marks = {
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff]
} as const

/** The first bytes of a file, and whether all of it is UTF-8. It is not read further than needed. */
const inspected = Effect.fnUntraced(function* ({ bytes }: Source) {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let start: Uint8Array = new Uint8Array()
  let isUtf8 = true
  const check = (chunk?: Uint8Array): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      isUtf8 = false
    }
  }
  yield* bytes.pipe(
    Stream.takeUntil((chunk) => {
      if (start.length < 4) start = Buffer.concat([start, chunk.subarray(0, 4)]).subarray(0, 4)
      check(chunk)
      return !isUtf8 && start.length === 4
    }),
    Stream.runDrain
  )
  if (isUtf8) check()
  return { isUtf8, start }
})

/** Returns why a text that is not UTF-8 cannot be Windows-1252 either. */
const problemOf = Effect.fnUntraced(function* ({ bytes }: Source) {
  const lenient = new TextDecoder("utf-8")
  let [hasUtf8, isWindows] = [false, true]
  yield* Stream.runForEach(bytes, (chunk) =>
    Effect.sync(() => {
      hasUtf8 ||= beyondAscii.test(lenient.decode(chunk, { stream: true }))
      isWindows &&= !notWindows.test(Buffer.from(chunk).toString("latin1"))
    })
  )
  if (!isWindows) return `its encoding is not known: ${saveAsCsv}`
  // Read as Windows-1252, the correct characters would become wrong ones.
  return hasUtf8 ? `some of its characters are UTF-8, and some are not: ${saveAsCsv}` : undefined
})

/**
 * Returns the encoding of a file: by its byte order mark, otherwise by reading all of it. What is not UTF-8
 * is Windows-1252, as spreadsheets in the West write it.
 */
export const encodingOf = Effect.fnUntraced(function* (
  source: Source
): Effect.fn.Return<Encoding, InputError> {
  const { isUtf8, start } = yield* inspected(source)
  if (isUtf8 && otherFile(start) === undefined) return "utf-8"
  for (const encoding of ["utf-16le", "utf-16be"] as const) {
    if (startsWith(start, ...marks[encoding])) return encoding
  }
  const problem = otherFile(start) ?? (yield* problemOf(source))
  if (problem === undefined) return "windows-1252"
  return yield* Effect.fail(
    new InputError({ file: source.name, problems: [problem], isUsage: true })
  )
})

/** The text of a file as UTF-8, without a byte order mark. */
export const decoded = (
  { bytes, name }: Source,
  encoding: Encoding
): Stream.Stream<string, InputError> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding, { fatal: true })
    const decode = (chunk?: Uint8Array) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () =>
          new InputError({
            file: name,
            problems: [`this is ${encoding.toUpperCase()} with errors in it: save it as UTF-8`],
            isUsage: true
          })
      })
    return Stream.concat(
      Stream.mapEffect(bytes, decode),
      Stream.fromEffect(Effect.suspend(() => decode()))
    )
  })
