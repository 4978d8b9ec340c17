/** Checks texts before they are stored: both databases must return them unchanged. */
import type { SendSmsRequest } from "@messaging-topup/core"
import { campaignKey } from "../CampaignSends.ts"

const maxLength = 512

const problemOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return "it must be a string"
  // PostgreSQL cannot store U+0000, and half of a surrogate pair cannot be encoded as UTF-8.
  if (value.includes("\0")) return "it must not contain the character U+0000"
  return value.isWellFormed() ? undefined : "it must not contain half of a surrogate pair"
}

/** What is wrong with a key, or with the name of a campaign; undefined if it can be stored. */
export const nameProblem = (name: string): string | undefined =>
  problemOf(name) ??
  (name.length > 0 && name.length <= maxLength
    ? undefined
    : `it must have 1 to ${maxLength} characters`)

const fields = ["recipient", "message", "sender_id", "webhook_url", "scheduled_time"] as const

interface Wrong {
  readonly field: string
  readonly problem: string
}

/** The first value of a send that the journal cannot store or compare; undefined if it can store all. */
export const wrongSend = (key: string, request: SendSmsRequest): Wrong | undefined => {
  const problem = nameProblem(key)
  if (problem !== undefined) return { field: "key", problem }
  for (const field of fields) {
    const value = request[field]
    const isLeftOut = value === undefined && field !== "recipient" && field !== "message"
    const wrong = isLeftOut ? undefined : problemOf(value)
    if (wrong !== undefined) return { field, problem: wrong }
  }
  return undefined
}

/** The fields of a request in a fixed order, for its digest. */
export const valuesOf = (request: SendSmsRequest): ReadonlyArray<string> =>
  fields.map((field) => request[field] ?? "")

/** The keys of a campaign are those from its prefix to the same with the character after the slash. */
export const rangeOf = (campaign: string) => {
  const from = campaignKey(campaign, "")
  return { from, to: `${from.slice(0, -1)}0` }
}
