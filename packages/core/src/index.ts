/** Typed Effect client for the Messaging and Top-up Service. */
export { OnRequestStart } from "./call/CallRecord.ts"
export { endOfSend, type SendEnd, type SendOutcome, sendOutcome } from "./call/SendEnd.ts"
export type { MessagingTopupService } from "./call/Service.ts"
export type { ServiceOptions } from "./call/ServiceOptions.ts"
export { Transport } from "./call/Transport.ts"
export {
  type ClientFailure,
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  InvalidResponse,
  RequestTimedOut,
  UndocumentedStatus
} from "./errors/ClientFailures.ts"
export { ConfigurationError } from "./errors/ConfigurationError.ts"
export * from "./errors/DocumentedErrors.ts"
export { errorSchema } from "./ErrorSchema.ts"
export * from "./LayerConfig.ts"
export * from "./MessagingTopup.ts"
export type {
  ListDataBundlesOptions,
  Operation,
  Operations,
  StatusResponse
} from "./operations/Model.ts"
export {
  AirtimeStatusRecord,
  DataBundle,
  ErrorBody,
  GetAirtimeStatusResponse,
  GetDataBundleStatusResponse,
  GetSmsStatusResponse,
  ListDataBundlesQuery,
  ListDataBundlesResponse,
  SendResult,
  SendSmsRequest,
  SendSmsResponse,
  SmsStatusRecord
} from "./operations/Schemas.ts"
export * as SmsText from "./SmsText.ts"
