/**
 * Sends an SMS.
 *
 * Source: service description §4.1, POST /sms/send
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type { ClientFailure } from "../errors/ClientFailure.ts"
import {
  AuthenticationFailed,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound,
  PaymentRequired
} from "../errors/DocumentedErrors.ts"

/**
 * What to send, to whom. The formats of phone numbers and times are not described: they pass on as
 * they are.
 *
 * Source: service description §2.1
 * @since 0.1.0
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

/**
 * A value of the schema {@link SendSmsRequest}.
 *
 * @since 0.1.0
 */
export interface SendSmsRequest extends Schema.Schema.Type<typeof SendSmsRequest> {}

/**
 * What the service took for one recipient.
 *
 * Source: service description §2.2
 * @since 0.1.0
 */
export const SendResult = Schema.Struct({
  recipient: Schema.String.annotate({ description: "Phone number" }),
  message_id: Schema.String.annotate({ description: "Identifier" }),
  status: Schema.String.annotate({ description: "Status, an open set" })
}).annotate({ identifier: "SendResult" })

/**
 * A value of the schema {@link SendResult}.
 *
 * @since 0.1.0
 */
export interface SendResult extends Schema.Schema.Type<typeof SendResult> {}

/**
 * The service accepted the message.
 *
 * Source: service description §2.2
 * @since 0.1.0
 */
export const SendSmsResponse = Schema.Struct({
  success: Schema.Boolean.annotate({ description: "Whether the request succeeded" }),
  status: Schema.Int.annotate({ description: "HTTP status code of the request" }),
  message: Schema.String.annotate({ description: "Text describing the result" }),
  data: Schema.Array(SendResult).annotate({ description: "One entry per recipient" })
}).annotate({ identifier: "SendSmsResponse" })

/**
 * A value of the schema {@link SendSmsResponse}.
 *
 * @since 0.1.0
 */
export interface SendSmsResponse extends Schema.Schema.Type<typeof SendSmsResponse> {}

const documented = [
  InvalidRequest,
  AuthenticationFailed,
  PaymentRequired,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/**
 * What `sendSms` fails with.
 *
 * @since 0.1.0
 */
export type SendSmsError = InstanceType<(typeof documented)[number]> | ClientFailure

/**
 * The endpoint as data.
 *
 * Source: service description §4.1, POST /sms/send
 * @since 0.1.0
 */
export const sendSms = HttpApiEndpoint.post("sendSms", "/sms/send", {
  payload: SendSmsRequest,
  success: SendSmsResponse.pipe(HttpApiSchema.status(202)),
  error: documented
}).annotateMerge(
  OpenApi.annotations({
    summary: "Sends an SMS",
    description:
      "Sends an SMS to a recipient, optionally with a custom sender ID, a status-update callback URL and a scheduled time. Source: service description §4.1"
  })
)
