/** Campaigns: many sends that survive any crash, and are never sent twice. */
export * from "./rows/Load.ts"
export * from "./sending/Reconcile.ts"
export * from "./report/Report.ts"
export * from "./rows/Results.ts"
export type { SliceResult } from "./sending/Attempt.ts"
export * from "./sending/Run.ts"
export * from "./rows/State.ts"
export * from "./sending/Workers.ts"
