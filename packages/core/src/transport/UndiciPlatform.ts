/**
 * Recognises platforms on which undici does not work.
 */
import { ConfigurationError } from "../errors/ConfigurationError.ts"

const refuse = (problem: string) => new ConfigurationError({ setting: "transport", problem })

interface Runtime {
  readonly Bun?: unknown
  readonly Deno?: unknown
  readonly process?: { readonly versions?: { readonly node?: string } }
}

const { Bun: bun, Deno: deno, process }: Runtime = globalThis

/** Undefined on Deno, which also reports a version of Node. */
const node = deno === undefined ? process?.versions?.node : undefined

const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major < 22 || (major === 22 && minor < 19)
}

const checkPlatform = (): ConfigurationError | undefined => {
  // Bun has its own module named undici.
  if (bun !== undefined) {
    return refuse("undici sends nothing on Bun: use the layer of @messaging-topup/core/fetch")
  }
  return node !== undefined && isTooOld(node)
    ? refuse(`undici needs Node 22.19 or newer, and this is Node ${node}`)
    : undefined
}

/** Why undici does not work on this platform; undefined if it works. */
export const platformError = checkPlatform()
