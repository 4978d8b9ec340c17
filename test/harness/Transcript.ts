/**
 * Transcripts, which a person reads. These lines of them are given, and all others are what the steps showed:
 *
 *     == a title     begins a section
 *     # a remark
 *     $ a step
 *     > a line       given to the step above it; `|` is another mark for it
 */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

/** Runs the steps of a section with a function that returns what a step shows. */
type Steps = <E, R>(
  run: (step: string, given: ReadonlyArray<string>) => Effect.Effect<string, E, R>
) => Effect.Effect<string, E, R>

const stepsOf =
  (section: string): Steps =>
  (run) =>
    Effect.gen(function* () {
      const lines = section.split("\n")
      const shown = new Array<string>()
      for (const [at, line] of lines.entries()) {
        if (/^(==|#)/.test(line)) shown.push(line)
        if (!line.startsWith("$ ")) continue
        const below = lines.slice(at + 1)
        const end = below.findIndex((next) => !/^[>|]/.test(next))
        const given = below.slice(0, end).map((each) => each.slice(2))
        const output = yield* run(line.slice(2), given)
        shown.push(
          line,
          ...below.slice(0, end),
          ...output.split("\n").filter((each) => each !== "")
        )
      }
      return shown.join("\n")
    })

/** The transcript of a file, as it is now. */
export const transcriptOf = <E>(
  file: string,
  play: (steps: Steps, section: string) => Effect.Effect<string, E>
) => {
  const sections = readFileSync(file, "utf8").split(/\n(?=== )/)
  const played = sections.map((section) => play(stepsOf(section), section))
  return Effect.map(Effect.all(played, { concurrency: 4 }), (now) => `${now.join("\n\n")}\n`)
}
