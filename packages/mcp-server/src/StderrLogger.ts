/**
 * The log: one JSON object per line, on stderr, because stdout carries the protocol.
 */
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type { Writable } from "node:stream"
import { replaceInvisible } from "./send/Text.ts"

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** JSON does not escape all invisible characters. */
const escaped = (json: string): string =>
  replaceInvisible(json, (character) => character.split("").map(asEscape).join(""))

/** The texts among the values are the event; the objects are fields. */
const valuesOf = (message: unknown): ReadonlyArray<unknown> =>
  Array.isArray(message) ? message : [message]

const line = Logger.make<unknown, string>(({ date, fiber, logLevel, message }) =>
  escaped(
    JSON.stringify({
      time: date.toISOString(),
      level: logLevel.toLowerCase(),
      event: valuesOf(message).filter(Predicate.isString).join(" "),
      ...Object.assign({}, ...valuesOf(message).filter(Predicate.isObject)),
      ...fiber.getRef(References.CurrentLogAnnotations)
    })
  )
)

export const layer = (stderr: Writable) =>
  Logger.layer([
    Logger.map(line, (text) => {
      stderr.write(`${text}\n`)
    })
  ])
