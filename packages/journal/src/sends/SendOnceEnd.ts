/** How `sendOnce` ends, for what stores that or sends it elsewhere: a workflow, or an RPC. */
import { type EncodedError, errorSchema, type SendSmsError } from "@messaging-topup/core"
import { type Kinds, schemaOfErrors } from "@messaging-topup/core/internal"
import * as Schema from "effect/Schema"
import * as Errors from "../model/Errors.ts"
import type * as Send from "../model/Send.ts"
import { isOwnFault } from "./StoredEnd.ts"

/** The result of `sendOnce`. */
export const SentOnce = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ message_id: Schema.String, status: Schema.String })),
  isEarlier: Schema.Boolean
})
export interface SentOnce extends Send.SentOnce {}

type JournalErrors = Exclude<Errors.SendOnceError, SendSmsError>

const ofJournal: Kinds<JournalErrors> = {
  CampaignPruned: [Errors.CampaignPruned, { campaign: "string" }],
  JournalLocked: [Errors.JournalLocked, { waitedSeconds: "number" }],
  JournalUnavailable: [Errors.JournalUnavailable, { problem: "string", code: "string?" }],
  KeyConflict: [Errors.KeyConflict, {}],
  OutcomeUnknown: [Errors.OutcomeUnknown, { id: "number", since: "number" }],
  SendClosed: [Errors.SendClosed, {}]
}

/**
 * The schema of the errors of `sendOnce`. As with `errorSchema` of core, an encoded error decodes to an instance of the
 * same class, with the same outcome.
 */
export const sendOnceErrorSchema: Schema.Codec<Errors.SendOnceError, EncodedError> = Schema.Union([
  errorSchema("sendSms"),
  schemaOfErrors<JournalErrors>("sendOnce", ofJournal, "string?")
])

const finalErrors: ReadonlySet<string> = new Set<JournalErrors["_tag"]>([
  "CampaignPruned",
  "KeyConflict",
  "SendClosed"
])

/**
 * Returns whether `sendOnce` fails so whenever it is called with this key and this request, unless a person takes a
 * decision back. After every other error, a later call may end otherwise: when the account is settled, the service is
 * back, or a person has decided about an unknown outcome.
 */
export const isFinal = (error: Errors.SendOnceError): boolean =>
  finalErrors.has(error._tag) || isOwnFault(error)
