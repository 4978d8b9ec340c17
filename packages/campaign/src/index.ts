/**
 * Campaigns: many SMS that survive any crash and are never sent twice, on the journal.
 *
 * @since 0.1.0
 */
export * as Campaign from "./Campaign.ts"
export type * from "./CampaignEvent.ts"
export type * from "./CampaignOptions.ts"
export * from "./errors/CampaignLoading.ts"
export * from "./errors/CampaignNotFound.ts"
