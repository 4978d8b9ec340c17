/** How `sendOnce` ends, for what stores that or sends it elsewhere: a workflow, or an RPC. */
import { type EncodedError, errorSchema, type SendSmsError } from "@messaging-topup/core"
import { type Kinds, schemaOfErrors } from "@messaging-topup/core/internal"
import * as Schema from "effect/Schema"
import * as Errors from "../model/Errors.ts"
import type * as Send from "../model/Send.ts"

/** The result of `sendOnce`. */
export const SentOnce = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ message_id: Schema.String, status: Schema.String })),
  isEarlier: Schema.Boolean
})
export interface SentOnce extends Send.SentOnce {}

type JournalErrors = Exclude<Errors.SendOnceError, SendSmsError>

const namedSend = { id: "number", journal: "string", key: "string?" } as const

const ofJournal: Kinds<JournalErrors> = {
  CampaignPruned: [Errors.CampaignPruned, { campaign: "string" }],
  JournalLocked: [Errors.JournalLocked, { waitedSeconds: "number" }],
  JournalUnavailable: [
    Errors.JournalUnavailable,
    { problem: "string", code: "string?", journal: "string?" }
  ],
  KeyConflict: [Errors.KeyConflict, { state: "string" }],
  OutcomeUnknown: [Errors.OutcomeUnknown, { ...namedSend, since: "number", isOther: "boolean?" }],
  SendClosed: [Errors.SendClosed, namedSend]
}

/**
 * The schema of the errors of `sendOnce`. As with `errorSchema` of core, an encoded error decodes to an instance of the
 * same class, with the same outcome.
 */
export const sendOnceErrorSchema: Schema.Codec<Errors.SendOnceError, EncodedError> = Schema.Union([
  errorSchema("sendSms"),
  schemaOfErrors<JournalErrors>("sendOnce", ofJournal, "string?")
])
