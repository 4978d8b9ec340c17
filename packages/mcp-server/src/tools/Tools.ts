/**
 * All tools, in the order in which clients see them.
 */
import { getAirtimeStatus } from "./GetAirtimeStatus.ts"
import { getDataBundleStatus } from "./GetDataBundleStatus.ts"
import { getSmsStatus } from "./GetSmsStatus.ts"
import { listDataBundles } from "./ListDataBundles.ts"
import { listRecentSends } from "./ListRecentSends.ts"
import { previewSms } from "./PreviewSms.ts"
import { sendSms } from "./SendSms.ts"
import type { Tool } from "./Tool.ts"

export const tools: ReadonlyArray<Tool> = [
  previewSms,
  sendSms,
  getSmsStatus,
  getAirtimeStatus,
  getDataBundleStatus,
  listDataBundles,
  listRecentSends
]

export const toolNames: ReadonlyArray<string> = tools.map(({ name }) => name)

/** The tool that read-only mode leaves out. */
export const sendingTool = sendSms.name
