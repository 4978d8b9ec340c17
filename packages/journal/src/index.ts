/**
 * At-most-once sends: a journal that is written before each request starts.
 *
 * @since 0.1.0
 */
export type * from "./claims/Claim.ts"
export * from "./claims/SendClaims.ts"
export type { SendOnceError, SentOnce } from "./claims/SendOnce.ts"
export * from "./errors/CampaignStopped.ts"
export type * from "./errors/JournalError.ts"
export * from "./errors/JournalLocked.ts"
export * from "./errors/JournalUnavailable.ts"
export * from "./errors/LoadSuperseded.ts"
export * from "./errors/OutcomeUnknown.ts"
export * from "./errors/RowConflict.ts"
export * from "./errors/RowRefused.ts"
export * from "./errors/SendRejected.ts"
export * from "./errors/SliceNotFound.ts"
export * from "./Memory.ts"
export * from "./SendJournal.ts"
export * from "./slices/CampaignJournal.ts"
export * from "./slices/Row.ts"
