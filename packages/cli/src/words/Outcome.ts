/** The words of `results` that choose rows, of its file as a list. */
import { parsed } from "@messaging-topup/command"
import { notSent, type SendState, stateNames, states } from "@messaging-topup/journal/internal"
import * as Record from "effect/Record"
import * as Result from "effect/Result"

/** The reason of a row whose recipient is on the stop list, whatever became of it. */
export const excluded = "excluded"

/** What is right instead, for rows that a list of their own would send twice, or against a decision. */
const ways = {
  unknown: "they may have gone out: decide about them with resolve",
  "in-flight": "they may be going out: run the list again, then write its results anew",
  closed: "a person decided that nothing sends them: take that back with resolve --was not-sent"
} satisfies Partial<Record<SendState, string>>

const problems: ReadonlyMap<string, string> = new Map([
  [notSent, "run the list itself again, which sends what is missing"],
  ...Record.collect(ways, (state, way) => [states[state].word, way] as const)
])

const words = stateNames.map((state) => states[state].word).filter((word) => !problems.has(word))

const known = `give ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** Rows with one outcome, which may go into another campaign. */
export const option = parsed(
  "word",
  "",
  "Of a file that results wrote: only its rows with this outcome, such as sent",
  (given) =>
    words.some((word) => word === given)
      ? Result.succeed(given)
      : Result.fail(problems.get(given) ?? known)
)
