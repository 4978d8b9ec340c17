/**
 * Recognises by its first bytes what a file is, and decodes it to UTF-8 without a byte order mark.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InputError } from "./InputError.ts"

type Encoding = "utf-16be" | "utf-16le" | "utf-8"

/** How many bytes are needed. */
const startLength = 4

const saveAsCsv = "save it as CSV UTF-8 in the spreadsheet, and give that file"

const startsWith = (bytes: Uint8Array, ...start: ReadonlyArray<number>): boolean =>
  start.every((byte, index) => bytes[index] === byte)

/** Returns what the file is, if it is no text. */
const otherFile = (start: Uint8Array): string | undefined => {
  if (startsWith(start, 0x50, 0x4b, 3, 4)) {
    return `this is a workbook (xlsx or ods) or another zip file: if it is a workbook, ${saveAsCsv}`
  }
  if (startsWith(start, 0xd0, 0xcf, 0x11, 0xe0))
    return `this is an old workbook (xls): ${saveAsCsv}`
  return startsWith(start, 0x25, 0x50, 0x44, 0x46)
    ? "this is a PDF: give the file that it was made of, as CSV UTF-8"
    : undefined
}

/** Without a mark, UTF-16 is known by the zero bytes of its first characters, which are ASCII. */
const encodingOf = (start: Uint8Array): Encoding => {
  const [a, b, c, d] = start
  if (startsWith(start, 0xff, 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return "utf-16le"
  return startsWith(start, 0xfe, 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0)
    ? "utf-16be"
    : "utf-8"
}

interface Decoder {
  /** Decodes a chunk. Without one, the file ends. */
  readonly decode: (bytes?: Uint8Array) => Uint8Array
}

const decoderOf = (encoding: Encoding, start: Uint8Array): Decoder => {
  if (encoding === "utf-8") {
    // Each cell is checked later, so that one wrong byte does not stop the other rows.
    let mark = startsWith(start, 0xef, 0xbb, 0xbf) ? 3 : 0
    return {
      decode: (bytes = new Uint8Array()) => {
        const rest = bytes.subarray(mark)
        mark = 0
        return rest
      }
    }
  }
  const decoder = new TextDecoder(encoding, { fatal: true })
  return { decode: (bytes) => Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined })) }
}

/** Decodes the bytes of a file. Fails if it is no text. */
export const decoded = (
  name: string,
  bytes: Stream.Stream<Uint8Array, InputError>
): Stream.Stream<Uint8Array, InputError> => {
  const fail = (problem: string) => new InputError({ file: name, problem, isUsage: true })

  return Stream.suspend(() => {
    let start: Uint8Array = new Uint8Array()
    let decoder: Decoder | undefined

    const decode = (chunk?: Uint8Array) =>
      Effect.suspend(() => {
        let next = chunk
        if (decoder === undefined) {
          start = Buffer.concat([start, chunk ?? new Uint8Array()])
          if (chunk !== undefined && start.length < startLength) {
            return Effect.succeed(new Uint8Array())
          }
          const other = otherFile(start)
          if (other !== undefined) return Effect.fail(fail(other))
          decoder = decoderOf(encodingOf(start), start)
          next = start
        }
        const { decode: decodeNext } = decoder
        return Effect.try({
          try: () => decodeNext(next),
          catch: () => fail("this is UTF-16 with errors in it: save it as UTF-8")
        })
      })

    return Stream.concat(
      Stream.mapEffect(bytes, decode),
      Stream.fromEffect(Effect.suspend(() => decode()))
    )
  })
}
