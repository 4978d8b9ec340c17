/** Finds out how a file is encoded, and decodes it. */
import * as Effect from "effect/Effect"
import { isAscii, isUtf8 } from "node:buffer"
import { InputError } from "../CommandError.ts"
import type { ReadFile, Source } from "./Source.ts"

type Encoding = "utf-16be" | "utf-16le" | "utf-8" | "windows-1252"

/** A file as text. */
export interface TextFile extends ReadFile {
  readonly encoding: Encoding
  /** Whether a file of its rows needs a byte order mark: by it alone, a spreadsheet reads what is beyond ASCII. */
  readonly needsMark: boolean
  /** Its text as UTF-8, without a byte order mark. */
  readonly utf8: Buffer
}

const utf8Mark = "efbbbf"

const saveAsCsv = "save it as CSV UTF-8 in the spreadsheet, and give that file"

/** How files begin that say how they are encoded. */
const marks: Readonly<Record<string, Encoding>> = { fffe: "utf-16le", feff: "utf-16be" }

/** How files begin that are no text. */
const noText: Readonly<Record<string, string>> = {
  "504b0304": `this is a workbook (xlsx or ods) or another zip file: if it is a workbook, ${saveAsCsv}`,
  "25504446": "this is a PDF: give the list that it was made from, as CSV UTF-8",
  d0cf11e0: `this is an old workbook (xls): ${saveAsCsv}`
}

/** Bytes that Windows-1252 does not have, and the NUL, which UTF-16 without a mark is full of. */
const notWindows = [0, 0x81, 0x8d, 0x8f, 0x90, 0x9d]

/** What a decoder that replaces wrong bytes makes of correct UTF-8 beyond ASCII. */
const beyondAscii = /[\u0080-\ufffc]/

/** Decodes bytes in pieces: V8 has no text as long as a file may be. */
function* textsOf(bytes: Buffer, decoder: TextDecoder) {
  const size = 1024 * 1024
  for (let at = 0; at < bytes.length; at += size) {
    yield decoder.decode(bytes.subarray(at, at + size), { stream: true })
  }
  yield decoder.decode()
}

/**
 * Returns a file as text. What has no byte order mark and is not UTF-8 is Windows-1252, as spreadsheets in the West
 * write it.
 */
export const textOf = Effect.fnUntraced(function* ({
  bytes,
  ...file
}: Source): Effect.fn.Return<TextFile, InputError> {
  const failed = (problem: string) =>
    Effect.fail(new InputError({ file: file.name, problems: [problem], isUsage: true }))
  const decoded = (encoding: Encoding) =>
    Effect.try(() => {
      const texts = textsOf(bytes, new TextDecoder(encoding, { fatal: true }))
      const utf8 = Buffer.concat(Array.from(texts, (text) => Buffer.from(text)))
      return { ...file, encoding, needsMark: true, utf8 }
    }).pipe(
      Effect.catch(() =>
        failed(`this is ${encoding.toUpperCase()} with errors in it: save it as UTF-8`)
      )
    )

  const start = bytes.toString("hex", 0, 4)
  const problem = noText[start]
  if (problem !== undefined) return yield* failed(problem)
  const marked = marks[start.slice(0, 4)]
  if (marked !== undefined) return yield* decoded(marked)
  if (isUtf8(bytes)) {
    const isMarked = start.startsWith(utf8Mark)
    const utf8 = bytes.subarray(isMarked ? 3 : 0)
    return { ...file, encoding: "utf-8", needsMark: !isAscii(bytes), utf8 }
  }
  if (notWindows.some((byte) => bytes.includes(byte))) {
    return yield* failed(`its encoding is not known: ${saveAsCsv}`)
  }
  // Read as Windows-1252, the correct characters would become wrong ones.
  for (const text of textsOf(bytes, new TextDecoder())) {
    if (beyondAscii.test(text)) {
      return yield* failed(`some of its characters are UTF-8, and some are not: ${saveAsCsv}`)
    }
  }
  return yield* decoded("windows-1252")
})
