/**
 * Reads a file of rows without the command.
 */
import * as Checks from "messaging-topup/src/input/Rows.ts"
import type { InputError } from "messaging-topup/src/CommandError.ts"
import type { FileRow } from "messaging-topup/src/input/Row.ts"
import type { Source } from "messaging-topup/src/input/Source.ts"
import * as Template from "messaging-topup/src/input/Template.ts"
import { textOf } from "messaging-topup/src/input/Encoding.ts"
import * as Header from "messaging-topup/src/input/Header.ts"
import * as Sheet from "messaging-topup/src/input/Sheet.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

interface Options extends Partial<Checks.ReadOptions> {
  readonly isPipe?: boolean
}

export const templateOf = (text: string): Template.Template => {
  const template = Template.make(text)
  if (typeof template === "string") throw new Error(template)
  return template
}

export const sourceOf = (content: Buffer | string, isPipe = false): Source => ({
  name: "list.csv",
  bytes: Buffer.from(content),
  isPipe,
  isChanged: Effect.succeed(false)
})

/** The rows of a file, as the command reads them. */
export const rowsOf = (content: Buffer | string, options: Options = {}) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const all = {
        keyOf: (parts: ReadonlyArray<string>) => parts.join(" "),
        allowRepeats: true,
        ignoreColumns: false,
        ...options
      }
      const file = yield* textOf(sourceOf(content, options.isPipe))
      return Checks.rows(yield* Sheet.open(file, Header.reading(all)), all)
    })
  )

export const read = (
  content: Buffer | string,
  options: Options = {}
): Effect.Effect<ReadonlyArray<Read>, InputError> =>
  Effect.map(Stream.runCollect(rowsOf(content, options)), (rows) => rows.map(readOf))

interface Read {
  readonly line: number
  readonly recipient?: string
  readonly message?: string
  readonly field?: string | undefined
  readonly problem?: string
}

const readOf = (row: FileRow): Read => {
  if (row._tag === "InvalidRow") {
    const { field, line, problem } = row
    return { line, ...(field === undefined ? {} : { field }), problem }
  }
  if (row._tag === "ExcludedRow") return { line: row.line, problem: "excluded" }
  const { message, recipient } = row.row.request
  return { line: row.line, recipient, message }
}
