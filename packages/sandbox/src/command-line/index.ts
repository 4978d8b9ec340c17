/**
 * How the commands of this project declare their options and bind a port. It is published for them, and
 * is no API.
 */
export { nearest } from "./Nearest.ts"
export * from "./Option.ts"
export * from "./Parse.ts"
/** Binds a port. */
export * as Port from "./Port.ts"
