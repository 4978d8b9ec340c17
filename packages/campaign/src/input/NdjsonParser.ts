/**
 * Parses NDJSON: one JSON object per line.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"
import { type ColumnOptions, isUsed, problemOfUnknown } from "./Columns.ts"
import type { RecordParser } from "./RecordParser.ts"
import { type InvalidRow, invalid, nameOf, notUtf8, type RawRow, rowLimit, tooLong } from "./Row.ts"

const lf = 10

const notObject = "it is not a JSON object: give one object per line"

const recordOf = (line: number, object: object, options: ColumnOptions): InvalidRow | RawRow => {
  const found = new Map<string, string>()
  for (const [given, value] of Object.entries(object)) {
    const name = nameOf(given)
    if (!isUsed(name, options)) {
      if (options.ignoreColumns) continue
      return invalid(line, problemOfUnknown([given], "field"))
    }
    if (value === null || value === "") continue
    if (!Predicate.isString(value)) {
      return invalid(line, "it must be a string: put it in quotes", name)
    }
    if (found.has(name)) return invalid(line, "it occurs twice: remove one", name)
    found.set(name, value)
  }
  return { _tag: "RawRow", line, cells: found }
}

const parse = (line: number, bytes: Buffer, options: ColumnOptions) => {
  if (!isUtf8(bytes)) return invalid(line, notUtf8)
  const text = bytes.toString("utf8").trim()
  if (text === "") return undefined
  const value = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  return Predicate.isObject(value) ? recordOf(line, value, options) : invalid(line, notObject)
}

export const make = (options: ColumnOptions): RecordParser => {
  let pieces = new Array<Uint8Array>()
  let size = 0
  let line = 1

  const add = (piece: Uint8Array) => {
    size += piece.length
    // A line that is too long is not kept; the parser only looks for its end.
    if (size > rowLimit) pieces = []
    else pieces.push(piece)
  }

  const lineEnds = () => {
    const record =
      size > rowLimit ? invalid(line, `it ${tooLong}`) : parse(line, Buffer.concat(pieces), options)
    pieces = []
    size = 0
    line++
    return record === undefined ? [] : [record]
  }

  return {
    push: (bytes) =>
      Effect.sync(() => {
        const records = new Array<InvalidRow | RawRow>()
        let start = 0
        for (
          let end = bytes.indexOf(lf);
          end !== -1;
          start = end + 1, end = bytes.indexOf(lf, start)
        ) {
          add(bytes.subarray(start, end))
          records.push(...lineEnds())
        }
        add(bytes.subarray(start))
        return records
      }),
    end: Effect.sync(lineEnds)
  }
}
