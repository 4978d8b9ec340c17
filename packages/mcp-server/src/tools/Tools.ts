/**
 * All tools, in the order in which clients see them.
 */
import { getAirtimeStatus } from "./GetAirtimeStatus.ts"
import { getDataBundleStatus } from "./GetDataBundleStatus.ts"
import { getSmsStatus } from "./GetSmsStatus.ts"
import { listDataBundles } from "./ListDataBundles.ts"
import { listRecentSends } from "./ListRecentSends.ts"
import { previewSms } from "./PreviewSms.ts"
import { sendSms, sendSmsWithWebhook } from "./SendSms.ts"
import { sendSmsBatch } from "./SendSmsBatch.ts"
import type { Rules } from "../send/Rules.ts"
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

/** The tools with different arguments for different rules are there once for each. */
export const variants: ReadonlyArray<Tool> = [...tools, sendSmsWithWebhook]

/** Returns the tools that the rules offer. */
export const offeredBy = (rules: Rules): ReadonlyArray<Tool> =>
  tools
    .filter(({ name }) => rules.tools.includes(name))
    .map((tool) => (tool === sendSms && rules.webhookHosts.length > 0 ? sendSmsWithWebhook : tool))

export const toolNames: ReadonlyArray<string> = tools.map(({ name }) => name)

const sendingTools: ReadonlySet<string> = new Set([sendSms.name, sendSmsBatch.name])

/** Whether a tool sends: read-only mode leaves it out. */
export const isSending = (name: string): boolean => sendingTools.has(name)
