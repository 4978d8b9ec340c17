/**
 * What every result says first.
 */
import * as Context from "effect/Context"

/** Empty, or a sentence such as that of the sandbox. */
export const Notice = Context.Reference<string>("@messaging-topup/mcp-server/Notice", {
  defaultValue: () => ""
})

export const noticed = (notice: string, text: string): string =>
  notice === "" ? text : `${notice} ${text}`
