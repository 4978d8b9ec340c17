/** What the quickstart prints with: colour where the terminal has it, plain text elsewhere. */
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import process, { stdin, stdout } from "node:process"
import { createInterface } from "node:readline"
import { styleText } from "node:util"

export const heading = (text: string) => Console.log(`\n${styleText("bold", text)}`)

export const line = (label: string, value: string) =>
  Console.log(`  ${styleText("dim", label.padEnd(11))}${value}`)

export const good = (text: string) => styleText("green", text)
export const bad = (text: string) => styleText("red", text)
export const warn = (text: string) => styleText("yellow", text)

/** The demo goes on, and its exit code remembers. */
export const exitWith = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })

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

/** Ctrl+C or Ctrl+D at a question. */
export class Stopped extends Data.TaggedError("Stopped") {}

/** Whether somebody sits at a terminal. */
export const canAsk = Effect.sync(() => stdin.isTTY)

/** What a person types. */
export const ask = (question: string) =>
  Effect.callback<string, Stopped>((resume) => {
    const terminal = createInterface({ input: stdin, output: stdout })
    let typed: string | undefined
    // Closed first: closing pauses stdin, and the next question would wait for ever.
    terminal.once("close", () =>
      resume(typed === undefined ? Effect.fail(new Stopped()) : Effect.succeed(typed))
    )
    terminal.question(`  ${question} `, (answer) => {
      typed = answer.trim()
      terminal.close()
    })
  })
