/**
 * The log: one JSON object a line, on stderr, because stdout belongs to the protocol.
 */
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type { Writable } from "node:stream"

/** What JSON leaves as it is although it is invisible, or turns the line around. */
const unseen = /[\p{Cf}\u0080-\u009f\u2028\u2029]/gu

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The same JSON, with those characters as escapes. */
const escaped = (json: string): string =>
  json.replace(unseen, (character) => character.split("").map(asEscape).join(""))

/** The texts of a message are the event; what else it says are fields. */
const parts = (message: unknown): ReadonlyArray<unknown> =>
  Array.isArray(message) ? message : [message]

const line = Logger.make<unknown, string>(({ date, fiber, logLevel, message }) =>
  escaped(
    JSON.stringify({
      time: date.toISOString(),
      level: logLevel.toLowerCase(),
      event: parts(message).filter(Predicate.isString).join(" "),
      ...Object.assign({}, ...parts(message).filter(Predicate.isObject)),
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
