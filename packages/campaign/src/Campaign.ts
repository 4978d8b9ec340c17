/**
 * Campaigns: many sends that survive any crash, and are never sent twice.
 *
 * @since 0.1.0
 */
export * from "./Load.ts"
export * from "./Reconcile.ts"
export * from "./report/Report.ts"
export * from "./Results.ts"
export * from "./Run.ts"
export * from "./State.ts"
export * from "./Workers.ts"
