/**
 * The client for scripts without Effect.
 */
export { createClient } from "@messaging-topup/core/promise"
