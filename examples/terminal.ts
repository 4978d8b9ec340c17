/** What the quickstart prints with: colour where the terminal has it, plain text elsewhere. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline/promises"
import { stdin, stdout } from "node:process"
import { styleText } from "node:util"

export const heading = (text: string) => Console.log(`\n${styleText("bold", text)}`)

export const line = (label: string, value: string) =>
  Console.log(`  ${styleText("dim", label.padEnd(11))}${value}`)

export const good = (text: string) => styleText("green", text)
export const bad = (text: string) => styleText("red", text)
export const warn = (text: string) => styleText("yellow", text)

export const table = (rows: ReadonlyArray<Readonly<Record<string, string>>>) => {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const format = (cells: ReadonlyArray<string>) =>
    `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd()
  return Console.log(
    [
      styleText("dim", format(columns)),
      ...rows.map((row) => format(columns.map((column) => row[column] ?? "")))
    ].join("\n")
  )
}

/** What a person types; nothing where nobody sits at a terminal. */
export const ask = (question: string): Effect.Effect<string> =>
  stdin.isTTY
    ? Effect.promise(async () => {
        const terminal = createInterface({ input: stdin, output: stdout })
        const answer = await terminal.question(`  ${question} `)
        terminal.close()
        return answer.trim()
      })
    : Effect.succeed("")
