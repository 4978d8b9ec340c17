/**
 * What the promise client does on each runtime: `check:runtimes` holds it to this, and docs/runtimes.md shows it.
 */
interface Runtime {
  readonly carriedBy: "undici" | "fetch"
  /** The outcome of a send whose connection is refused. workerd does not tell it from a lost one. */
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

/** Of each send that meets a fault, on a connection that was used before. */
export const faults = {
  reset: { posts: 1, outcome: "unknown", title: "reset after the body" },
  "500": { posts: 1, outcome: "unknown", title: "500" },
  silence: { posts: 1, outcome: "unknown", title: "no response" }
} as const
