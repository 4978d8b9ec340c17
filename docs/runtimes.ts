/**
 * What the promise client does on each runtime. `scripts/check-runtimes.ts` verifies it, and docs/runtimes.md shows it.
 */
interface Runtime {
  readonly httpClient: "undici" | "fetch"
  /** The outcome of a send whose connection is refused. workerd reports that like a lost connection. */
  readonly refused: "not-sent" | "unknown"
}

export const runtimes = {
  "Node 22": { httpClient: "undici", refused: "not-sent" },
  "Node 24": { httpClient: "undici", refused: "not-sent" },
  "Node 26": { httpClient: "undici", refused: "not-sent" },
  Bun: { httpClient: "fetch", refused: "not-sent" },
  Deno: { httpClient: "undici", refused: "not-sent" },
  workerd: { httpClient: "fetch", refused: "unknown" }
} as const satisfies Readonly<Record<string, Runtime>>

/** The POSTs and the outcome of one send for each fault, on a reused connection. */
export const faults = {
  reset: { posts: 1, outcome: "unknown", title: "reset after the body" },
  "500": { posts: 1, outcome: "unknown", title: "500" },
  silence: { posts: 1, outcome: "unknown", title: "no response" }
} as const
