/**
 * Typed Effect client for the Messaging and Top-up Service.
 *
 * @since 0.1.0
 */
export * from "./SendOutcome.ts"
