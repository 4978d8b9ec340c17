/**
 * What a tool says, told twice: as text, and as structured content.
 *
 * A host hands the model one of them, so each is complete alone. Both are made here from one value,
 * and cannot differ.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import { mapTexts, visible } from "./Text.ts"

export interface Words {
  /** What happened, in words of ours. */
  readonly message: string
  /** What to do now, in words of ours. */
  readonly next?: string
}

/** The words, and what they are about: facts of one line, and lists of records. */
export type ToolResult<A = object> = Words & A & Readonly<Record<string, unknown>>

/** What a list does not show, and why. */
export interface LeftOut {
  readonly count: number
  readonly reason: string
}

/** What core could not read of a list, and so left out. */
export const unreadableReason = "not as the service describes it, so it could not be read"

export const tooLongReason = "more than one result can hold"

/** The reasons that left something out. */
export const leftOut = (
  reasons: Readonly<Record<string, number>>
): { readonly left_out?: ReadonlyArray<LeftOut> } => {
  const list = Object.entries(reasons)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ count, reason }))
  return list.length === 0 ? {} : { left_out: list }
}

const shown = (value: unknown): string =>
  Predicate.isString(value) ? JSON.stringify(value) : String(value)

const entriesOf = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([, each]) => each !== undefined)

const record = (value: object): string =>
  `- ${entriesOf(value)
    .map(([name, each]) => `${name} ${shown(each)}`)
    .join(", ")}`

const list = (name: string, items: ReadonlyArray<unknown>): string => {
  if (items.length === 0) return `\n${name}: none`
  return items.every(Predicate.isObject)
    ? `\n${name}:\n${items.map(record).join("\n")}`
    : `\n${name}: ${items.map(shown).join(" ")}`
}

const textOf = (notice: string, { message, next = "", ...rest }: ToolResult): string => {
  let facts = ""
  let lists = ""
  for (const [name, value] of entriesOf(rest)) {
    if (Array.isArray(value)) lists += list(name, value)
    else if (Predicate.isObject(value)) lists += list(name, [value])
    else facts += `${facts === "" ? "\n" : ", "}${name}: ${shown(value)}`
  }
  return [notice, message, next].filter((words) => words !== "").join(" ") + facts + lists
}

/** Both tellings. A notice, where there is one, comes first. */
export const render = (
  notice: string,
  result: ToolResult
): Pick<CallToolResult, "content"> & { readonly structuredContent: Record<string, unknown> } => {
  const safe = mapTexts(result, visible)
  return {
    content: [{ type: "text", text: textOf(notice, safe) }],
    structuredContent: { ...(notice === "" ? {} : { notice }), ...safe }
  }
}
