/**
 * What holds for every result of a server.
 */
import * as Context from "effect/Context"

/** What every result says first: empty, or a sentence such as that of the sandbox. */
export const Notice = Context.Reference<string>("@messaging-topup/mcp-server/Notice", {
  defaultValue: () => ""
})

/** Where a person sees what the sandbox was sent; empty where there is no such page. */
export const InboxUrl = Context.Reference<string>("@messaging-topup/mcp-server/InboxUrl", {
  defaultValue: () => ""
})

export const noticed = (notice: string, text: string): string =>
  notice === "" ? text : `${notice} ${text}`

/** Whether a tool is offered: no result names one that is not. */
export const Offers = Context.Reference<(tool: string) => boolean>(
  "@messaging-topup/mcp-server/Offers",
  { defaultValue: () => () => false }
)
