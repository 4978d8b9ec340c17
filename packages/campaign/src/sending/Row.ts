/** One row of a campaign. */
import { InvalidInput, type SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import { campaignKey, type SendJournal, type Standing, wrongSend } from "@messaging-topup/journal"

/** One SMS of a campaign. Under its key, it is sent at most once. */
export interface Row {
  /**
   * Identifies the row in its campaign: 1 to 512 characters. It is stored as it is given, but of a key that
   * could be a phone number only a keyed digest.
   */
  readonly key: string
  readonly request: SendSmsRequest
}

type Journal = SendJournal["Service"]

/** The key under which the journal has a row: no key on disk is a phone number. */
export const storedKey = ({ digest }: Pick<Journal, "digest">, key: string): string =>
  Phone.mayBeNumber(key) ? digest(["key", key]) : key

/** A row as the journal looks it up. */
export interface KeyedRow {
  readonly key: string
  readonly request: string
}

export const keyed = (journal: Journal, campaign: string, row: Row): KeyedRow => {
  const key = storedKey(journal, row.key)
  return { key, request: journal.requestDigest(campaignKey(campaign, key), row.request) }
}

/** The digest of a number, the same for all its spellings. */
export const recipientOf = ({ recipientDigest }: Journal, { request }: Row): string =>
  recipientDigest(Phone.wideForm(request.recipient))

/** Returns why a row of a program cannot be stored. */
export const problemOf = ({ key, request }: Row): InvalidInput | undefined => {
  const wrong = wrongSend(key, request)
  return wrong && new InvalidInput({ ...wrong, operation: "sendMany" })
}

/** How a row stands for a run: only a `"free"` one is sent. */
export type RowState = Standing["state"] | "changed"

/** What the service refused may have changed since. Other rows must be as they were. */
export const stateOf = ({ isChanged, state }: Standing, retryRejected: boolean): RowState => {
  if (state === "rejected") return retryRejected ? "free" : state
  return isChanged ? "changed" : state
}
