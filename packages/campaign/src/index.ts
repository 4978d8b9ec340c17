/** Campaigns: many SMS that survive any crash and are never sent twice, on the journal. */
export * as Campaign from "./Campaign.ts"
export type * from "./sending/CampaignEvent.ts"
export type * from "./sending/CampaignOptions.ts"
export * from "./rows/CampaignNotFound.ts"
export * from "./rows/CampaignLoading.ts"
