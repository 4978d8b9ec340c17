/**
 * All tools by their names, in the order in which clients see them.
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

export const tools = {
  preview_sms: previewSms,
  send_sms: sendSms,
  send_sms_batch: sendSmsBatch,
  get_sms_status: getSmsStatus,
  get_airtime_status: getAirtimeStatus,
  get_data_bundle_status: getDataBundleStatus,
  list_data_bundles: listDataBundles,
  list_recent_sends: listRecentSends
} satisfies Readonly<Record<string, Tool>>

/** The tools with different arguments for different rules are there once for each. */
export const variants: ReadonlyArray<Tool> = [...Object.values(tools), sendSmsWithWebhook]

/** Returns the tool with the arguments that are allowed. */
export const variantOf = (tool: Tool, webhookHosts: ReadonlyArray<string>): Tool =>
  tool === sendSms && webhookHosts.length > 0 ? sendSmsWithWebhook : tool

export const offeredBy = ({ tools: names, webhookHosts }: Rules): ReadonlyArray<Tool> =>
  Object.values(tools)
    .filter(({ name }) => names.includes(name))
    .map((tool) => variantOf(tool, webhookHosts))

export const toolNames: ReadonlyArray<string> = Object.keys(tools)

/** Whether a tool sends: read-only mode leaves it out. */
export const isSending = (tool: string): boolean =>
  variants.some(({ annotations, name }) => name === tool && !annotations.readOnlyHint)
