/** Typed Effect client for the Messaging and Top-up Service. */
export { type AwaitSmsStatusOptions, StillPending } from "./call/AwaitSmsStatus.ts"
export {
  type ClientFailure,
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  InvalidResponse,
  RequestTimedOut,
  TokenUnavailable,
  UndocumentedStatus
} from "./errors/ClientFailures.ts"
export * from "./call/CallTimeout.ts"
export { ConfigurationError } from "./errors/ConfigurationError.ts"
export * from "./errors/DocumentedErrors.ts"
export * from "./LayerConfig.ts"
export type { MessagingTopupService } from "./call/Service.ts"
export * from "./MessagingTopup.ts"
export * from "./call/MessagingTopupOptions.ts"
export type { ListDataBundlesOptions, StatusResponse, UnreadableEntry } from "./operations/Model.ts"
export { OnRequestStart } from "./call/Send.ts"
export { isLoopbackHost } from "./call/Settings.ts"
export { type TokenRedaction, tokenRedaction } from "./call/TokenRedaction.ts"
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
export { mayBeSeveralNumbers, phoneDigits } from "./PhoneDigits.ts"
export { SendResult, SendSmsError, SendSmsRequest, SendSmsResponse } from "./operations/SendSms.ts"
export * from "./call/SendOutcome.ts"
export * as SmsText from "./SmsText.ts"
