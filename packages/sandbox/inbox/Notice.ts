/**
 * Short messages to the user.
 */
import { signal } from "@preact/signals"
import { Refused } from "./Api.ts"

/** What went wrong; shown until it is closed, or until the next success. */
export const problem = signal<string | undefined>(undefined)

/** Said by a screen reader, and shown nowhere. */
export const announcement = signal("")

export const announce = (text: string): void => {
  announcement.value = text
}

/** A lost connection and a missing token have their own place on the page. */
export const reportProblem = (error: unknown): void => {
  if (error instanceof Refused && error.status !== 401) problem.value = error.message
}

/** Does what the user asked for, and says so if it did not work. */
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
