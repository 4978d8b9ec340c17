/**
 * What the promise client does on each runtime. `scripts/check-runtimes.ts` verifies it, and docs/runtimes.md shows it.
 */
export interface Runtime {
  readonly httpClient: "undici" | "fetch"
  /** The outcome of a send whose connection is refused. workerd reports that like a lost connection. */
  readonly refused: "not-sent" | "unknown"
  /** What npm installs to try it. Of Node, the package of the platform. */
  readonly npm: readonly ["node" | "bun" | "deno" | "miniflare", version: string]
}

const undici = { httpClient: "undici", refused: "not-sent" } as const
const bun = { httpClient: "fetch", refused: "not-sent" } as const

/**
 * The oldest supported version and the newest of each: the one place for the versions that are tried. The platform
 * chooses the version of workerd.
 */
export const runtimes = {
  "Node 22.19": { ...undici, npm: ["node", "22.19.0"] },
  "Node 24.21": { ...undici, npm: ["node", "24.21.0"] },
  "Node 26.12": { ...undici, npm: ["node", "26.12.1"] },
  "Bun 1.3.13": { ...bun, npm: ["bun", "1.3.13"] },
  "Bun 1.4.5": { ...bun, npm: ["bun", "1.4.5"] },
  "Deno 2.8.0": { ...undici, npm: ["deno", "2.8.0"] },
  "Deno 2.9.6": { ...undici, npm: ["deno", "2.9.6"] },
  workerd: { httpClient: "fetch", refused: "unknown", npm: ["miniflare", "4.20260730.0"] }
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
