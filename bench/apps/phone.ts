/**
 * Phone numbers, with libphonenumber-js and its data.
 */
export { toE164 } from "@messaging-topup/core/phone"
