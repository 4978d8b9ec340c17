/** Small helpers that only the packages of this project use. They can change in any version. */
export { requestMillis } from "./Call.ts"
export { type Kinds, schemaOfErrors } from "./ErrorSchema.ts"
export { firstProblem } from "./call/SchemaProblem.ts"
export { lazyTransport, type WireRequest } from "./call/Transport.ts"
export { transportOver } from "./transport/TimedRequest.ts"
export { failureCode, type WireControl, type WireHandlers } from "./transport/Wire.ts"
export { bracketed, type Checked, inProcessHost, isLoopbackHost } from "./call/BaseUrl.ts"
export {
  checkOptions,
  flag,
  millisOf,
  type Option,
  type Table,
  type Values
} from "./call/OptionChecks.ts"
export { tokenRedaction } from "./call/TokenRedaction.ts"
export {
  codePoint,
  escapedJson,
  invisible,
  normalized,
  visibleText,
  withoutInvisible
} from "./Invisible.ts"
export { ownRecords } from "./OwnRecords.ts"
export * as Phone from "./Phone.ts"
export { scheduledAt } from "./ScheduledTime.ts"
export { doubtfulIn, type Doubtful, type Unmeant, unmeant, unmeantPart } from "./Unmeant.ts"
