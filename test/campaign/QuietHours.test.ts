/** Quiet hours around the changes of clocks, minute by minute, against what a clock on the wall shows. */
import { expect, it } from "@effect/vitest"
import { QuietHours } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { isFull } from "../harness/Runs.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const [firstDay, lastDay] = [Date.UTC(2026, 0), Date.UTC(2027, 0)]

const steps = (from: number, to: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: (to - from) / step }, (_, index) => from + index * step)

interface Hours {
  readonly from: string
  readonly to: string
}

/** What a clock of the zone shows, such as `02:30`. */
const clockOf = (timeZone: string) => {
  const { format } = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })
  return (millis: number): string => format(millis)
}

/** The hours in which a clock changes: within a day, it begins to show another time than a day before. */
const changesOf = (timeZone: string): ReadonlyArray<number> => {
  const clock = clockOf(timeZone)
  const isOther = (at: number): boolean => clock(at) !== clock(at - day)
  return steps(firstDay, lastDay, day)
    .filter(isOther)
    .flatMap((at) => steps(at - day + hour, at + hour, hour).find(isOther) ?? [])
}

const isQuiet = ({ from, to }: Hours, time: string): boolean =>
  from < to ? time >= from && time < to : time >= from || time < to

const zones = Intl.supportedValuesOf("timeZone").filter((_, at) => isFull || at % 8 === 0)

/** What the clocks of the world do in this year. Many change in the same way, on other days. */
const clocks = new Map(
  zones.flatMap((timeZone) => {
    const changes = changesOf(timeZone)
    const clock = clockOf(timeZone)
    return changes.map((change) => {
      const known = `${clock(change - hour)} ${clock(change)}`
      return [known, { timeZone, change }] as const
    })
  })
)

it.live("quiet hours end with the first minute that a clock shows as none of them", () =>
  Effect.gen(function* () {
    for (const { change, timeZone } of clocks.values()) {
      const clock = clockOf(timeZone)
      const minutes = steps(change - 2 * hour, change + 3 * hour, minute)
      const shown = minutes.map(clock)
      // Times that are shown before the change, twice, or never.
      for (const end of steps(change - day - hour, change - day + hour, hour / 4)) {
        const quiet = { from: clock(end - 5 * hour), to: clock(end), timeZone }
        const quietUntil = yield* Effect.fromResult(QuietHours.make(quiet))
        let next: number | undefined
        const expected = minutes.map(() => next)
        for (const [at, time] of [...shown.entries()].toReversed()) {
          if (!isQuiet(quiet, time)) next = minutes[at]
          expected[at] = next === minutes[at] ? undefined : next
        }
        expect({ ...quiet, until: minutes.map(quietUntil) }).toEqual({ ...quiet, until: expected })
      }
    }
    expect(clocks.size).toBeGreaterThan(isFull ? 15 : 5)
  })
)
