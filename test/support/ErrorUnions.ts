/**
 * The errors of each operation, as schemas.
 */
import {
  GetAirtimeStatusError,
  GetDataBundleStatusError,
  GetSmsStatusError,
  ListDataBundlesError,
  SendSmsError
} from "@messaging-topup/core"

export const unions = {
  sendSms: SendSmsError,
  getSmsStatus: GetSmsStatusError,
  getAirtimeStatus: GetAirtimeStatusError,
  getDataBundleStatus: GetDataBundleStatusError,
  listDataBundles: ListDataBundlesError
}
