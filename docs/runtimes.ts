/**
 * What the promise client does on each runtime. `scripts/check-runtimes.ts` verifies it, and docs/runtimes.md shows it.
 */
interface Runtime {
  readonly httpClient: "undici" | "fetch"
  /** The outcome of a send whose connection is refused. workerd reports that like a lost connection. */
  readonly refused: "not-sent" | "unknown"
}

/** The oldest supported version and the newest of each. The platform chooses the version of workerd. */
export const runtimes = {
  "Node 22.19": { httpClient: "undici", refused: "not-sent" },
  "Node 24.21": { httpClient: "undici", refused: "not-sent" },
  "Node 26.10": { httpClient: "undici", refused: "not-sent" },
  "Bun 1.3.13": { httpClient: "fetch", refused: "not-sent" },
  "Bun 1.4.5": { httpClient: "fetch", refused: "not-sent" },
  "Deno 2.8.0": { httpClient: "undici", refused: "not-sent" },
  "Deno 2.9.6": { httpClient: "undici", refused: "not-sent" },
  workerd: { httpClient: "fetch", refused: "unknown" }
} as const satisfies Readonly<Record<string, Runtime>>

/** The POSTs and the outcome of one send for each fault, on a reused connection. The last one ends the server. */
export const faults = {
  "500": { posts: 1, outcome: "unknown", title: "500" },
  silence: { posts: 1, outcome: "unknown", title: "no response" },
  reset: { posts: 1, outcome: "unknown", title: "reset after the body" },
  end: { posts: 1, outcome: "unknown", title: "end after the body" },
  cut: { posts: 1, outcome: "unknown", title: "half a response head" },
  stopped: { posts: 1, outcome: "unknown", title: "reset, and then no server" }
} as const
