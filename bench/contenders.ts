/**
 * The clients that are compared, each in a process of its own.
 */
import { join } from "node:path"
import { type Worker, withWorkers } from "../scripts/child.ts"
import { bare, ours } from "../scripts/clients.ts"
import { installLocked } from "../scripts/install.ts"
import { readManifest } from "../scripts/support.ts"

const comparison = join(import.meta.dirname, "comparison")

/** Those of bench/comparison, by their names there. */
export const others = ["axios", "stripe", "telnyx", "twilio"]

export const all = [...Object.values(bare), ...Object.values(ours), ...others]

/** Starts a process for each of these clients, and runs `use` when all are ready. */
export const withClients = <A>(
  names: ReadonlyArray<string>,
  [url, timeoutMillis]: readonly [url: string, timeoutMillis: number],
  use: (clients: ReadonlyArray<Worker>) => Promise<A>
): Promise<A> => {
  installLocked(comparison)
  const programs = names.map((name) => ({ name, args: [name, url, String(timeoutMillis)] }))
  return withWorkers(new URL("contender.ts", import.meta.url), programs, use)
}

/** The versions of the packages in bench/comparison, by name. */
export const comparedVersions = (): Readonly<Record<string, string>> =>
  readManifest(join(comparison, "package.json")).dependencies ?? {}
