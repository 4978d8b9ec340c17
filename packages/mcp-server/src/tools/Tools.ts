/** All tools, in the order in which clients see them. */
import { getAirtimeStatus } from "./GetAirtimeStatus.ts"
import { getDataBundleStatus } from "./GetDataBundleStatus.ts"
import { getSmsStatus } from "./GetSmsStatus.ts"
import { listDataBundles } from "./ListDataBundles.ts"
import { listRecentSends } from "./ListRecentSends.ts"
import { previewSms } from "./PreviewSms.ts"
import { sendSms } from "./SendSms.ts"
import { sendSmsBatch } from "./SendSmsBatch.ts"
import type { Tool } from "./Tool.ts"

export const tools: ReadonlyArray<Tool> = [
  previewSms,
  sendSms,
  sendSmsBatch,
  getSmsStatus,
  getAirtimeStatus,
  getDataBundleStatus,
  listDataBundles,
  listRecentSends
]

/** The tools of a server that may send, or only read. */
export const offered = (canSend: boolean): ReadonlyArray<Tool> =>
  tools.filter(({ annotations }) => canSend || annotations.readOnlyHint)
