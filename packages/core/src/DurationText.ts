/**
 * Durations as people write them: in variables and in the options of the programs. An entry of its own, because the help
 * of the command loads it, and nothing else of core.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** The short units, beside the words of Effect. Not `m`, which can be minutes, months or milliseconds. */
const units: ReadonlyMap<string, string> = new Map([
  ["ms", "millis"],
  ["s", "seconds"],
  ["sec", "seconds"],
  ["min", "minutes"],
  ["h", "hours"],
  ["d", "days"]
])

const isInput = (text: string): text is Duration.Input & string => /^[\d.]+ [a-z]+$/.test(text)

/** Reads a duration such as `30 s`, `1.5 h` or `10 minutes`. */
export const durationIn = (text: string): Option.Option<Duration.Duration> => {
  const [, amount = "", unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/.exec(text) ?? []
  const input = `${amount} ${units.get(unit) ?? unit}`
  return isInput(input) ? Duration.fromInput(input) : Option.none()
}
