/** Finds out how a file is encoded, and decodes it. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InputError } from "../CommandError.ts"
import type { Source } from "./Source.ts"

type Encoding = "utf-16be" | "utf-16le" | "utf-8" | "windows-1252"

/** A file as text. */
export interface TextFile extends Pick<Source, "name" | "unchanged"> {
  readonly encoding: Encoding
  /** Whether the file has a byte order mark, or is not UTF-8: a spreadsheet reads UTF-8 only by the mark. */
  readonly isMarked: boolean
  /** Each run of the stream decodes the file from its beginning, without a byte order mark. */
  readonly text: Stream.Stream<string, InputError>
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
const notWindows = /[\0\x81\x8d\x8f\x90\x9d]/

/** What a decoder that replaces wrong bytes makes of correct UTF-8 beyond ASCII. */
const beyondAscii = /[\u0080-\ufffc]/

/**
 * Returns a file as text. What has no byte order mark and is not UTF-8 is Windows-1252, as spreadsheets in the West
 * write it.
 */
export const textOf = Effect.fnUntraced(function* ({
  bytes,
  name,
  unchanged
}: Source): Effect.fn.Return<TextFile, InputError> {
  const failure = (problem: string) =>
    new InputError({ file: name, problems: [problem], isUsage: true })
  const decoded = (encoding: Encoding) =>
    Stream.suspend(() => {
      const decoder = new TextDecoder(encoding, { fatal: true })
      return Stream.mapEffect(Stream.concat(bytes, Stream.succeed(undefined)), (chunk) =>
        Effect.try({
          try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
          catch: () =>
            failure(`this is ${encoding.toUpperCase()} with errors in it: save it as UTF-8`)
        })
      )
    })
  const as = (encoding: Encoding, isMarked: boolean): TextFile => ({
    name,
    unchanged,
    encoding,
    isMarked,
    text: decoded(encoding)
  })

  const first = yield* Stream.runCollect(Stream.take(Stream.flatMap(bytes, Stream.fromIterable), 4))
  const start = Buffer.from(first).toString("hex")
  const problem = noText[start]
  if (problem !== undefined) return yield* Effect.fail(failure(problem))
  const marked = marks[start.slice(0, 4)]
  if (marked !== undefined) return as(marked, true)
  if (yield* Effect.isSuccess(Stream.runDrain(decoded("utf-8")))) {
    return as("utf-8", start.startsWith(utf8Mark))
  }
  const lenient = new TextDecoder("utf-8")
  let [hasUtf8, isWindows] = [false, true]
  yield* Stream.runForEach(bytes, (chunk) =>
    Effect.sync(() => {
      hasUtf8 ||= beyondAscii.test(lenient.decode(chunk, { stream: true }))
      isWindows &&= !notWindows.test(Buffer.from(chunk).toString("latin1"))
    })
  )
  if (!isWindows) return yield* Effect.fail(failure(`its encoding is not known: ${saveAsCsv}`))
  // Read as Windows-1252, the correct characters would become wrong ones.
  return hasUtf8
    ? yield* Effect.fail(
        failure(`some of its characters are UTF-8, and some are not: ${saveAsCsv}`)
      )
    : as("windows-1252", true)
})
