/** Prints for the examples: in colour if the terminal supports it, otherwise as plain text. */
import * as Console from "effect/Console"
import { stdout } from "node:process"
import { stripVTControlCharacters, styleText } from "node:util"

export const heading = (text: string) => Console.log(`\n${styleText("bold", text)}`)

/** The visible width. Colour codes have no width. */
const widthOf = (text: string): number => stripVTControlCharacters(text).length

const labelWidth = 11
const indent = " ".repeat(2 + labelWidth)

/** Breaks a text between words, and indents each further line below the first one. */
const wrapped = (text: string, width: number): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    if (last !== "" && widthOf(last) + 1 + widthOf(word) > width) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return lines.join(`\n${indent}`)
}

export const line = (label: string, value: string) => {
  const padding = " ".repeat(Math.max(1, labelWidth - widthOf(label)))
  // Some terminals do not report their width.
  const columns = stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY
  const lines = value.split("\n").map((each) => {
    const [, own = "", rest = ""] = /^( *)(.*)$/s.exec(each) ?? []
    return own + wrapped(rest, columns - indent.length)
  })
  return Console.log(`  ${styleText("dim", label)}${padding}${lines.join("\n")}`)
}

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
