/** Small helpers that only the packages of this project use. They can change in any version. */
export { isLoopbackHost } from "./call/Options.ts"
export { type TokenRedaction, tokenRedaction } from "./call/TokenRedaction.ts"
export { firstProblem } from "./call/SchemaProblem.ts"
export { attemptMillis } from "./call/Service.ts"
export type { Send, WireRequest } from "./call/Transport.ts"
export { transportOver, type WireControl, type WireHandlers } from "./transport/Wire.ts"
export * as Phone from "./Phone.ts"
