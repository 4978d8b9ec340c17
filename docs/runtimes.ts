/**
 * What the promise client does on each runtime. `check:runtimes` verifies it, and docs/runtimes.md shows it.
 */
interface Runtime {
  readonly carriedBy: "undici" | "fetch"
  /** The outcome of a send whose connection is refused. workerd reports that like a lost connection. */
  readonly refused: "not-sent" | "unknown"
}

export const runtimes = {
  "Node 22": { carriedBy: "undici", refused: "not-sent" },
  "Node 24": { carriedBy: "undici", refused: "not-sent" },
  "Node 26": { carriedBy: "undici", refused: "not-sent" },
  Bun: { carriedBy: "fetch", refused: "not-sent" },
  Deno: { carriedBy: "undici", refused: "not-sent" },
  workerd: { carriedBy: "fetch", refused: "unknown" }
} as const satisfies Readonly<Record<string, Runtime>>

/** The POSTs and the outcome of one send for each fault, on a reused connection. */
export const faults = {
  reset: { posts: 1, outcome: "unknown", title: "reset after the body" },
  "500": { posts: 1, outcome: "unknown", title: "500" },
  silence: { posts: 1, outcome: "unknown", title: "no response" }
} as const
