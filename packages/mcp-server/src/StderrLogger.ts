/**
 * The log: one JSON object a line, on stderr, because stdout belongs to the protocol.
 */
import * as Logger from "effect/Logger"
import * as References from "effect/References"

const line = Logger.make<unknown, string>(({ date, fiber, logLevel, message }) =>
  JSON.stringify({
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    event: Array.isArray(message) ? message.join(" ") : String(message),
    ...fiber.getRef(References.CurrentLogAnnotations)
  })
)

export const layer = Logger.layer([
  Logger.map(line, (text) => {
    process.stderr.write(`${text}\n`)
  })
])
