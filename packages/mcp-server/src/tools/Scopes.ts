/**
 * The OAuth scopes of the MCP server.
 */

/** Allows reads of statuses and bundles, and previews. */
export const messagesRead = "messages:read"

/** Allows sends, which cost money. */
export const messagesSend = "messages:send"

export const all: ReadonlyArray<string> = [messagesRead, messagesSend]
