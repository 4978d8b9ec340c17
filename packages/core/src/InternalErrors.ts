/**
 * The error classes and their base, which need no Effect. Bundles of this project's packages leave this module
 * outside, so that all of them have the same classes. It can change in any version.
 */
export * from "./errors/ClientFailures.ts"
export * from "./errors/DocumentedErrors.ts"
export * from "./errors/Failure.ts"
export * from "./errors/PromiseFailures.ts"
