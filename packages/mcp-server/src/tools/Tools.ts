/** All tools, in the order in which clients see them. */
import type { Rules } from "../send/Rules.ts"
import { sentences } from "../Sentences.ts"
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

/** The tools of a server with these rules, and what they say of the rules to such a client. */
export const offered = (rules: Rules, canAsk: boolean | undefined): ReadonlyArray<Tool> =>
  tools
    .filter(({ annotations }) => rules.canSend || annotations.readOnlyHint)
    .map(({ rulesFor = () => "", ...tool }) => ({
      ...tool,
      description: sentences(tool.description, rulesFor(rules, canAsk))
    }))
