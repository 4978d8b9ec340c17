/**
 * What a caller of the MCP server may be allowed to do.
 */

/**
 * Reading statuses and bundles, and previews.
 */
export const messagesRead = "messages:read"

/**
 * Sending, which costs money.
 */
export const messagesSend = "messages:send"

/**
 * Every scope that the server knows.
 */
export const all: ReadonlyArray<string> = [messagesRead, messagesSend]
