/**
 * Campaigns: many SMS that survive any crash and are never sent twice, on the journal.
 *
 * @since 0.1.0
 */
export * as Campaign from "./Campaign.ts"
export type * from "./sending/CampaignEvent.ts"
export type * from "./sending/CampaignOptions.ts"
export * from "./rows/CampaignNotFound.ts"
export * from "./rows/CampaignLoading.ts"
