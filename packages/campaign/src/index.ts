/** Campaigns: many SMS, each at most once, on the journal. */
export type { Row } from "./sending/Row.ts"
export { sendMany, type SendManyError } from "./sending/SendMany.ts"
export type * from "./sending/SendManyEvent.ts"
export type { QuietHours, SendManyOptions } from "./sending/SendManyOptions.ts"
