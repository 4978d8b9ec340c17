/**
 * The part of `--help` that lists options.
 */
import type { Option } from "./Option.ts"
import { flagOf } from "./Parse.ts"

const noteOf = ({ isRequired, kind, shownDefault }: Option<unknown>): string => {
  if (isRequired === true && kind !== "argument") return " (required)"
  return shownDefault === "" ? "" : ` (default: ${shownDefault})`
}

const entry = ([name, option]: readonly [string, Option<unknown>]): string => {
  const value = option.value === "" ? "" : ` <${option.value}>`
  const title = option.kind === "argument" ? value.trim() : `${flagOf(name)}${value}`
  return `  ${title}\n      ${option.help}${noteOf(option)}`
}

export const helpOf = (options: Readonly<Record<string, Option<unknown>>>): string =>
  Object.entries(options).map(entry).join("\n")
