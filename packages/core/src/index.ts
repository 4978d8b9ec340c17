/**
 * Typed Effect client for the Messaging and Top-up Service.
 *
 * @since 0.1.0
 */
export { awaitSmsStatus, type AwaitSmsStatusOptions } from "./AwaitSmsStatus.ts"
export type { ClientFailure } from "./errors/ClientFailure.ts"
export { ConfigurationError } from "./errors/ConfigurationError.ts"
export * from "./errors/ConnectionFailed.ts"
export * from "./errors/ConnectionLost.ts"
export * from "./errors/DocumentedErrors.ts"
export * from "./errors/ErrorBody.ts"
export * from "./errors/InvalidInput.ts"
export * from "./errors/InvalidResponse.ts"
export * from "./errors/RequestTimedOut.ts"
export * from "./errors/StillPending.ts"
export * from "./errors/UndocumentedStatus.ts"
export * from "./LayerConfig.ts"
export type { MessagingTopupService } from "./call/Service.ts"
export * from "./call/Loopback.ts"
export * from "./MessagingTopup.ts"
export * from "./call/MessagingTopupOptions.ts"
export type { ListDataBundlesOptions, StatusResponse, UnreadableEntry } from "./operations/Model.ts"
export * from "./call/OnRequestStart.ts"
export {
  AirtimeStatusRecord,
  GetAirtimeStatusError,
  GetAirtimeStatusResponse
} from "./operations/GetAirtimeStatus.ts"
export {
  GetDataBundleStatusError,
  GetDataBundleStatusResponse
} from "./operations/GetDataBundleStatus.ts"
export {
  GetSmsStatusError,
  GetSmsStatusResponse,
  SmsStatusRecord
} from "./operations/GetSmsStatus.ts"
export {
  DataBundle,
  ListDataBundlesError,
  ListDataBundlesQuery,
  ListDataBundlesResponse
} from "./operations/ListDataBundles.ts"
export { SendResult, SendSmsError, SendSmsRequest, SendSmsResponse } from "./operations/SendSms.ts"
export * from "./call/SendOutcome.ts"
export * as SmsText from "./SmsText.ts"
