/** Typed Effect client for the Messaging and Top-up Service. */
export type { MessagingTopupService } from "./Call.ts"
export { MayStart } from "./call/MayStart.ts"
export { endOfSend, type SendEnd, type SendOutcome, sendOutcome } from "./call/SendEnd.ts"
export type { ServiceOptions } from "./call/Options.ts"
export {
  type RequestFailure,
  type RequestOptions,
  type Body,
  type Head,
  type Received,
  type ResponseHeaders,
  Transport,
  type WireRequest
} from "./call/Transport.ts"
export { type EncodedError, errorSchema } from "./ErrorSchema.ts"
export * from "./Errors.ts"
export * from "./LayerConfig.ts"
export * from "./MessagingTopup.ts"
export type * from "./operations/Model.ts"
export * as Schemas from "./operations/Schemas.ts"
export * as SmsText from "./SmsText.ts"
