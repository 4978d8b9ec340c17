/** At-most-once sends: a journal that is written before each request starts. */
export * from "./CampaignSends.ts"
export * from "./Errors.ts"
export type * from "./Send.ts"
export * from "./SendEnding.ts"
export * from "./SendJournal.ts"
export type * from "./SendOnce.ts"
export type * from "./ServerSends.ts"
export { layerMemory } from "./Sqlite.ts"
