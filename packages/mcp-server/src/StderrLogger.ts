/** The log: one JSON object per line, on stderr, because stdout carries the protocol. */
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type { Writable } from "node:stream"
import { escaped } from "./send/Text.ts"

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
  Logger.layer([Logger.map(line, (text) => void stderr.write(`${text}\n`))])
