/**
 * At-most-once sends: a journal that is written before each request starts.
 *
 * @since 0.1.0
 */
export * from "./CampaignJournal.ts"
export type * from "./Claim.ts"
export * from "./errors/CampaignStopped.ts"
export * from "./errors/JournalLocked.ts"
export * from "./errors/JournalUnavailable.ts"
export * from "./errors/LoadSuperseded.ts"
export * from "./errors/OutcomeUnknown.ts"
export * from "./errors/RowConflict.ts"
export * from "./errors/RowRefused.ts"
export * from "./errors/SendRejected.ts"
export * from "./errors/SliceNotFound.ts"
export * from "./Memory.ts"
export * from "./Row.ts"
export * from "./SendClaims.ts"
export * from "./SendJournal.ts"
