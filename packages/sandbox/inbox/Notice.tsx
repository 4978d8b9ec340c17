/**
 * Short messages for the user.
 */
import { signal } from "@preact/signals"
import { Refused } from "./Api.ts"
import { IconButton } from "./Icon.tsx"

/** The current problem. Shown until it is closed or until the next success. */
const problem = signal<string | undefined>(undefined)

/** Read by screen readers, and not visible. */
export const announcement = signal("")

export const announce = (text: string): void => {
  announcement.value = text
}

/** A lost connection and a missing token have their own place on the page. */
export const reportProblem = (error: unknown): void => {
  if (error instanceof Refused && error.status !== 401) problem.value = error.message
}

/** Awaits the work that the user started, and shows a problem if it fails. */
export const attempt = async (what: string, work: Promise<unknown>): Promise<boolean> => {
  try {
    await work
    problem.value = undefined
    return true
  } catch (error) {
    const reason = error instanceof Refused ? error.message : "the sandbox cannot be reached"
    problem.value = `${what}: ${reason}`
    return false
  }
}

/** Shows the current problem. An open dialog shows it inside, because it covers the page. */
export const Problem = () =>
  problem.value === undefined ? null : (
    <div class="problem line card toned" data-tone="failed" role="alert">
      <p>{problem.value}</p>
      <IconButton icon="close" label="Close" onClick={() => (problem.value = undefined)} />
    </div>
  )
