/**
 * Bun brings a module named undici that sends nothing.
 */
import { ConfigurationError } from "../errors/ConfigurationError.ts"

export const onBun = "Bun" in globalThis

export const bunRefusal = new ConfigurationError({
  setting: "transport",
  problem: "undici sends nothing on Bun: take the layer of @messaging-topup/core/fetch"
})

/** Bun resolves the `bun` condition of this package, so only a wrong set-up comes here. */
export const refuseBun = (): void => {
  if (onBun) throw bunRefusal
}
