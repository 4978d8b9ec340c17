/**
 * What a caller of the MCP server may be allowed to do.
 *
 * @since 0.1.0
 */

/**
 * Reading statuses and bundles, and previews.
 *
 * @since 0.1.0
 */
export const messagesRead = "messages:read"

/**
 * Sending, which costs money.
 *
 * @since 0.1.0
 */
export const messagesSend = "messages:send"

/**
 * Every scope that the server knows.
 *
 * @since 0.1.0
 */
export const all: ReadonlyArray<string> = [messagesRead, messagesSend]
