/** One line on stderr that is drawn ten times per second, if stderr is a terminal that supports it. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Invocation, type Output } from "./Invocation.ts"
import { numberOf } from "../text/Format.ts"
import { clear, drawnOn } from "./Output.ts"

interface Terminal {
  readonly now: number
  readonly width: number
}

/** Some pseudo terminals report a width of 0. */
const widthOf = ({ columns = 0 }: Output): number => (columns > 0 ? columns : 80)

/** Draws the line until the scope closes, and then clears it. */
export const show = Effect.fnUntraced(function* (
  lineOf: (terminal: Terminal) => string,
  after: Duration.Input = 0
) {
  const { environment, stderr } = yield* Invocation
  if (stderr.isTTY !== true || environment["TERM"] === "dumb") return
  const draw = Effect.map(Clock.currentTimeMillis, (now) => {
    drawnOn.add(stderr)
    stderr.write(`${clear}${lineOf({ now, width: widthOf(stderr) })}`)
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (drawnOn.delete(stderr)) stderr.write(clear)
    })
  )
  const drawing = Effect.forever(Effect.andThen(draw, Effect.sleep("100 millis")))
  yield* Effect.forkScoped(after === 0 ? drawing : Effect.delay(drawing, after))
})

/** Counts things for a person who waits. A short work shows nothing. Returns how to count more. */
export const counter = Effect.fnUntraced(function* (what: string) {
  let count = 0
  yield* show(({ width }) => `${numberOf(count)} ${what}`.slice(0, width - 1), "300 millis")
  return (more: number): void => {
    count += more
  }
})
