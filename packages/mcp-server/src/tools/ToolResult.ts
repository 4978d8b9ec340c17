/**
 * The result of a tool, in two forms: text and structured content.
 *
 * A host gives the model only one of them, so each must be complete. The text is the sentences, and then
 * the same facts as JSON.
 *
 * A host cuts or refuses a result that is too long, and does not say what is missing. So we cut first,
 * and say it.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { sentences } from "../Sentences.ts"
import { clipAll, mapTexts, visible } from "../Visible.ts"

/** The text, with single facts and lists of records. */
export interface ToolResult {
  /** What happened. No text of the service is in it, unless quoted. */
  readonly message: string
  /** What to do now. No text of the service is in it, unless quoted. */
  readonly next?: string
  /** Undefined is left out. */
  readonly [fact: string]: unknown
}

/** The reason for records that core could not read. */
export const unreadableReason = "not as the service describes it, so it could not be read"

/** The reason for records that are cut. */
export const tooLongReason = "more than one result can hold"

/** How many a list leaves out, and why: the reasons whose count is not zero. */
export const leftOut = (reasons: Readonly<Record<string, number>>) => {
  const list = Object.entries(reasons)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ count, reason }))
  return list.length === 0 ? {} : { left_out: list }
}

/** The maximum length of all records in a result, as JSON. The text of the result repeats them. */
const maxRecordsLength = 7_000

/** As many of the first records as fit, and how much of the length is left. */
const fit = (records: ReadonlyArray<unknown>, length: number) => {
  const shown: Array<unknown> = []
  let left = length
  for (const record of records) {
    const clipped = clipAll(record)
    const taken = JSON.stringify(clipped).length
    if (taken > left) break
    left -= taken
    shown.push(clipped)
  }
  return { shown, left }
}

/** The list that a result is about: it stays if it is empty. */
const main: ReadonlySet<string> = new Set(["data", "category"])

/**
 * Returns of each list the records that fit, those of the first list first, and counts the records that are left out,
 * here or for other reasons.
 */
export const listed = (
  lists: Readonly<Record<string, ReadonlyArray<unknown>>>,
  others: Readonly<Record<string, number>> = {}
): Readonly<Record<string, ReadonlyArray<unknown>>> => {
  let left = maxRecordsLength
  let tooLong = 0
  const shown = Record.map(lists, (records) => {
    const fitted = fit(records, left)
    left = fitted.left
    tooLong += records.length - fitted.shown.length
    return fitted.shown
  })
  return {
    ...Record.filter(shown, (records, name) => records.length > 0 || main.has(name)),
    ...leftOut({ [tooLongReason]: tooLong, ...others })
  }
}

/** A result in both forms. */
export interface Rendered extends CallToolResult {
  readonly structuredContent: ToolResult
}

/** Makes both forms. The notice comes first, if it is not empty. */
export const render = (notice: string, result: ToolResult): Rendered => {
  const { message, next = "", ...facts } = mapTexts(result, visible)
  const known = Record.filter(facts, Predicate.isNotUndefined)
  const json = Record.isEmptyRecord(known) ? "" : `\n${JSON.stringify(known)}`
  return {
    content: [{ type: "text", text: sentences(notice, message, next) + json }],
    structuredContent: {
      ...(notice === "" ? {} : { notice }),
      message,
      ...(next === "" ? {} : { next }),
      ...known
    }
  }
}
