/**
 * Typed Effect client for the Messaging and Top-up Service.
 *
 * @since 0.1.0
 */
export { awaitSmsStatus, type AwaitSmsStatusOptions, StillPending } from "./AwaitSmsStatus.ts"
export * from "./errors/ClientFailure.ts"
export * from "./errors/ConfigurationError.ts"
export * from "./errors/ConnectionFailed.ts"
export * from "./errors/ConnectionLost.ts"
export * from "./errors/DocumentedErrors.ts"
export * from "./errors/ErrorBody.ts"
export * from "./errors/InvalidInput.ts"
export * from "./errors/InvalidResponse.ts"
export * from "./errors/RequestTimedOut.ts"
export * from "./errors/UndocumentedStatus.ts"
export * from "./Loopback.ts"
export * from "./MessagingTopup.ts"
export * from "./MessagingTopupOptions.ts"
export {
  AirtimeStatusRecord,
  GetAirtimeStatusResponse,
  type GetAirtimeStatusError
} from "./operations/GetAirtimeStatus.ts"
export {
  GetDataBundleStatusResponse,
  type GetDataBundleStatusError
} from "./operations/GetDataBundleStatus.ts"
export {
  GetSmsStatusResponse,
  SmsStatusRecord,
  type GetSmsStatusError
} from "./operations/GetSmsStatus.ts"
export {
  DataBundle,
  ListDataBundlesQuery,
  ListDataBundlesResponse,
  type ListDataBundlesError
} from "./operations/ListDataBundles.ts"
export {
  SendResult,
  SendSmsRequest,
  SendSmsResponse,
  type SendSmsError
} from "./operations/SendSms.ts"
export * from "./SendOutcome.ts"
export * as SmsText from "./SmsText.ts"
