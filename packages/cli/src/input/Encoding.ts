/** Finds out how a file is encoded, and decodes it. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InputError } from "../CommandError.ts"
import type { Source } from "./Source.ts"

export type Encoding = "utf-16be" | "utf-16le" | "utf-8" | "windows-1252"

interface Encoded {
  readonly encoding: Encoding
  /** Whether the file has a byte order mark, or is not UTF-8: a spreadsheet reads UTF-8 only by the mark. */
  readonly isMarked: boolean
}

const utf8Mark = "efbbbf"

const saveAsCsv = "save it as CSV UTF-8 in the spreadsheet, and give that file"

/** How files begin that are no text, or that say how they are encoded. */
const beginnings: ReadonlyArray<
  readonly [hex: string, is: Encoding | { readonly problem: string }]
> = [
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
  [
    "504b0304",
    {
      problem: `this is a workbook (xlsx or ods) or another zip file: if it is a workbook, ${saveAsCsv}`
    }
  ],
  ["25504446", { problem: "this is a PDF: give the list that it was made from, as CSV UTF-8" }],
  ["d0cf11e0", { problem: `this is an old workbook (xls): ${saveAsCsv}` }]
]

/** Bytes that Windows-1252 does not have, and the NUL, which UTF-16 without a mark is full of. */
const notWindows = /[\0\x81\x8d\x8f\x90\x9d]/

/** What a decoder that replaces wrong bytes makes of correct UTF-8 beyond ASCII. */
const beyondAscii = /[\u0080-\ufffc]/

const failure = ({ name }: Source, problem: string) =>
  new InputError({ file: name, problems: [problem], isUsage: true })

/** The text of a file, without a byte order mark. */
export const decoded = (source: Source, encoding: Encoding): Stream.Stream<string, InputError> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder(encoding, { fatal: true })
    const problem = `this is ${encoding.toUpperCase()} with errors in it: save it as UTF-8`
    const decode = (chunk: Uint8Array | undefined) =>
      Effect.try({
        try: () => decoder.decode(chunk, { stream: chunk !== undefined }),
        catch: () => failure(source, problem)
      })
    return Stream.mapEffect(Stream.concat(source.bytes, Stream.succeed(undefined)), (chunk) =>
      decode(chunk)
    )
  })

/** The first bytes of a file, as hexadecimal digits. */
const startOf = ({ bytes }: Source) =>
  Stream.flatMap(bytes, Stream.fromIterable).pipe(
    Stream.take(4),
    Stream.runCollect,
    Effect.map((first) => Buffer.from(first).toString("hex"))
  )

/**
 * Returns how a file is encoded. What has no byte order mark and is not UTF-8 is Windows-1252, as
 * spreadsheets in the West write it.
 */
export const encodingOf = Effect.fnUntraced(function* (
  source: Source
): Effect.fn.Return<Encoded, InputError> {
  const start = yield* startOf(source)
  const [, is] = beginnings.find(([hex]) => start.startsWith(hex)) ?? []
  if (typeof is === "string") return { encoding: is, isMarked: true }
  if (is !== undefined) return yield* Effect.fail(failure(source, is.problem))
  if (yield* Effect.isSuccess(Stream.runDrain(decoded(source, "utf-8")))) {
    return { encoding: "utf-8", isMarked: start.startsWith(utf8Mark) }
  }
  const lenient = new TextDecoder("utf-8")
  let [hasUtf8, isWindows] = [false, true]
  yield* Stream.runForEach(source.bytes, (chunk) =>
    Effect.sync(() => {
      hasUtf8 ||= beyondAscii.test(lenient.decode(chunk, { stream: true }))
      isWindows &&= !notWindows.test(Buffer.from(chunk).toString("latin1"))
    })
  )
  if (!isWindows) {
    return yield* Effect.fail(failure(source, `its encoding is not known: ${saveAsCsv}`))
  }
  // Read as Windows-1252, the correct characters would become wrong ones.
  const problem = `some of its characters are UTF-8, and some are not: ${saveAsCsv}`
  if (hasUtf8) return yield* Effect.fail(failure(source, problem))
  return { encoding: "windows-1252", isMarked: true }
})
