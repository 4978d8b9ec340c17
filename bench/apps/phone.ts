/**
 * Phone numbers, with the library and the data behind them.
 */
export { toE164 } from "@messaging-topup/core/phone"
