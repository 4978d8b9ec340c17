/**
 * The log: one JSON object a line, on stderr, because stdout belongs to the protocol.
 */
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type { Writable } from "node:stream"
import { escaped } from "./Text.ts"

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
