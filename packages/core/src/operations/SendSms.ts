/**
 * Sends an SMS.
 *
 * Source: service description §4.1, POST /sms/send
 */
import * as Schema from "effect/Schema"
import {
  AuthenticationFailed,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound,
  PaymentRequired
} from "../errors/DocumentedErrors.ts"
import { endpoint, errorUnion } from "./Endpoint.ts"
import { optionalText } from "./Fields.ts"
import type * as Model from "./Model.ts"

/**
 * An SMS to send.
 *
 * The service does not describe the formats of phone numbers and times, so they are sent unchanged.
 *
 * Source: service description §2.1
 */
export const SendSmsRequest = Schema.Struct({
  recipient: Schema.String.annotate({ description: "Phone number of the recipient" }),
  message: Schema.String.annotate({ description: "Text of the message" }),
  sender_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Custom sender ID, where applicable" })
  ),
  webhook_url: Schema.optionalKey(
    Schema.String.annotate({ description: "URL that receives status updates" })
  ),
  scheduled_time: Schema.optionalKey(
    Schema.String.annotate({ description: "Time at which to schedule the message" })
  )
}).annotate({ identifier: "SendSmsRequest" })

/** An SMS to send. */
export interface SendSmsRequest extends Model.SendSmsRequest {}

/**
 * What the service accepted for one recipient.
 *
 * Source: service description §2.2
 */
export const SendResult = Schema.Struct({
  recipient: Schema.String.annotate({ description: "The recipient's phone number" }),
  message_id: Schema.String.annotate({ description: "Unique identifier of the message" }),
  status: Schema.String.annotate({ description: "Status of the message" })
}).annotate({ identifier: "SendResult" })

/** What the service accepted for one recipient. */
export interface SendResult extends Model.SendResult {}

/**
 * The response to an accepted message.
 *
 * Source: service description §2.2
 */
export const SendSmsResponse = Schema.Struct({
  success: Schema.Boolean.annotate({ description: "Whether the request succeeded" }),
  status: Schema.Int.annotate({ description: "HTTP status code of the request" }),
  message: Schema.String.annotate({ description: "Text describing the result" }),
  data: Schema.Array(SendResult).annotate({ description: "One entry per recipient" })
}).annotate({ identifier: "SendSmsResponse" })

/** The response to an accepted message. */
export interface SendSmsResponse extends Model.SendSmsResponse {}

/** The fields around the results are not worth a failed call. */
export const NeededSendSmsResponse = Schema.Struct({
  ...SendSmsResponse.fields,
  status: Schema.optionalKey(Schema.Int),
  message: optionalText
})

const documented = [
  InvalidRequest,
  AuthenticationFailed,
  PaymentRequired,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/**
 * The schema of the errors of `sendSms`. An encoded error decodes to an instance of the same class.
 */
export const SendSmsError = /* @__PURE__ */ errorUnion(documented)

/** The errors of `sendSms`. */
export type SendSmsError = typeof SendSmsError.Type

/**
 * The endpoint of `sendSms`, as data.
 *
 * Source: service description §4.1, POST /sms/send
 */
export const sendSms = endpoint({
  name: "sendSms",
  method: "POST",
  path: "/sms/send",
  purpose:
    "Sends an SMS to a recipient, optionally with a custom sender ID, a status-update callback URL and a scheduled time.",
  section: "4.1",
  payload: SendSmsRequest,
  success: {
    status: 202,
    schema: SendSmsResponse,
    needed: NeededSendSmsResponse,
    mustSucceed: true
  },
  errors: documented
})
