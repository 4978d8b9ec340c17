/** The states of a send: one table, from which every surface takes its words. */
import type { SendOutcome } from "@messaging-topup/core/internal/errors"
import * as Struct from "effect/Struct"

interface State {
  /** What people and programs read, on every surface. */
  readonly word: string
  /** What is known of the SMS. */
  readonly outcome: SendOutcome
  /** Whether the same send may be claimed again without a person's decision. */
  readonly mayBeClaimed: boolean
}

/**
 * Of several attempts of a key, the one whose state comes first here speaks for the key, and of those the
 * last. A rejected or freed attempt says nothing once there is another one, but that a person decided later than
 * about a closed one.
 */
export const states = {
  "in-flight": { word: "in flight", outcome: "unknown", mayBeClaimed: false },
  sent: { word: "sent", outcome: "sent", mayBeClaimed: false },
  unknown: { word: "unknown", outcome: "unknown", mayBeClaimed: false },
  closed: { word: "closed", outcome: "not-sent", mayBeClaimed: false },
  rejected: { word: "rejected", outcome: "not-sent", mayBeClaimed: true },
  freed: { word: "freed", outcome: "not-sent", mayBeClaimed: true }
} as const satisfies Readonly<Record<string, State>>

/**
 * How a send stands.
 *
 * - `"in-flight"`: claimed, and its request may run.
 * - `"sent"`: the service accepted it, or a person decided so.
 * - `"unknown"`: it may have gone out. Only a person's decision sends it again.
 * - `"rejected"`: the service refused this very request.
 * - `"closed"`: a person decided that it did not go out, and that nothing sends it. Another row with the same text is another send.
 * - `"freed"`: a person decided that it did not go out, and that the next call, or run that has its row, sends it.
 */
export type SendState = keyof typeof states

/** The states in which a key has its SMS for good: what did not go out may be sent with another one. */
export type HeldState = "sent" | "closed"

export const stateNames = Struct.keys(states)

/** The word that is stored for a state. A claim that nobody settled is in flight, and later reads as unknown. */
const storedWord = (state: SendState): string => (state === "in-flight" ? "claimed" : state)

/** The stored words of the states that went out, or may have. */
export const mayBeOut = stateNames
  .filter((state) => states[state].outcome !== "not-sent")
  .map(storedWord)

/** The stored words of the states of unknown outcome. */
export const ofUnknownOutcome = stateNames
  .filter((state) => states[state].outcome === "unknown")
  .map(storedWord)

/** The stored words of the states in which a key is not claimed again. */
export const inTheWay = stateNames.filter((state) => !states[state].mayBeClaimed).map(storedWord)

/** The states that speak for a key as long as they count, the first of them first. */
export const precedence = stateNames.filter((state) => !states[state].mayBeClaimed)

/** The word for what was never attempted, or left nothing. */
export const notSent = "not sent"

/** The word for a state; without one, there was no attempt. */
export const wordOf = (state: SendState | undefined): string =>
  state === undefined ? notSent : states[state].word
