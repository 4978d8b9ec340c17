/** How a key stands, of all its attempts. */
import { decidedSo, type KnownSend, type Standing } from "./Send.ts"
import { type HeldState, type SendState, states } from "./States.ts"

/** An attempt of a key, with the state that it has now. */
export interface Attempt {
  readonly key: string
  readonly send: KnownSend
  readonly ticket: string
  /** Of its request, as in `KeyedSend`. */
  readonly digest: string
  /** Whether nobody has settled it or decided about it. */
  readonly isClaimed: boolean
  /** Whether it still counts. */
  readonly counts: boolean
}

/** Whether an SMS went out comes before what it said. */
const isHeld = (state: SendState): state is HeldState =>
  !states[state].mayBeClaimed && states[state].outcome !== "unknown"

/**
 * Whether a person decided later that the SMS is sent again: the newest decision counts. Only of the server: a row or a
 * key of a program is closed in its last attempt.
 */
const isTakenBack = ({ decidedAt = 0, state }: KnownSend, attempts: ReadonlyArray<Attempt>) =>
  state === "closed" &&
  attempts.some(({ send }) => send.state === "freed" && (send.decidedAt ?? 0) > decidedAt)

/**
 * How the key of these attempts stands for the request of a digest; without one, no SMS is another one. The one that speaks
 * for the key comes first.
 */
export const standingOf = (attempts: ReadonlyArray<Attempt>, digest?: string): Standing => {
  const speaking = attempts.find(({ counts, send }) => counts && !isTakenBack(send, attempts))
  const state = speaking?.send.state ?? "freed"
  const isOther = digest !== undefined && speaking !== undefined && speaking.digest !== digest
  const allIn = (of: SendState) => attempts.flatMap(({ send }) => (send.state === of ? [send] : []))
  const sent = allIn("sent")
  return {
    state: state === "freed" ? "free" : state,
    attempt: Math.max(-1, ...attempts.map(({ send }) => send.attempt)) + 1,
    changed: isOther && isHeld(state) ? state : undefined,
    isOther,
    sent: sent.length,
    decided: sent.filter(decidedSo).length,
    unknown: allIn("unknown").map(({ id }) => id),
    send: speaking?.send
  }
}
