/**
 * Returns the status of one SMS.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type { ClientFailure } from "../errors/ClientFailure.ts"
import {
  AuthenticationFailed,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound
} from "../errors/DocumentedErrors.ts"
import { envelope } from "./Envelope.ts"
import { PathSegment } from "./PathSegment.ts"

/**
 * The status of one SMS. Statuses and date formats are not described: they stay strings.
 *
 * Source: service description §2.3
 * @since 0.1.0
 */
export const SmsStatusRecord = Schema.Struct({
  recipient: Schema.String.annotate({ description: "Phone number" }),
  message_id: Schema.String.annotate({ description: "Identifier" }),
  status: Schema.String.annotate({ description: "Status, an open set" }),
  date_created: Schema.String.annotate({ description: "Created at" }),
  sender_id: Schema.String.annotate({ description: "Sender ID" })
}).annotate({ identifier: "SmsStatusRecord" })

/**
 * A value of the schema {@link SmsStatusRecord}.
 *
 * @since 0.1.0
 */
export interface SmsStatusRecord extends Schema.Schema.Type<typeof SmsStatusRecord> {}

/**
 * Source: service description §4.2
 * @since 0.1.0
 */
export const GetSmsStatusResponse = envelope(SmsStatusRecord).annotate({
  identifier: "GetSmsStatusResponse"
})

/**
 * A value of the schema {@link GetSmsStatusResponse}.
 *
 * @since 0.1.0
 */
export interface GetSmsStatusResponse extends Schema.Schema.Type<typeof GetSmsStatusResponse> {}

const documented = [
  InvalidRequest,
  AuthenticationFailed,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/**
 * What `getSmsStatus` fails with.
 *
 * @since 0.1.0
 */
export type GetSmsStatusError = InstanceType<(typeof documented)[number]> | ClientFailure

/**
 * The endpoint as data.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 * @since 0.1.0
 */
export const getSmsStatus = HttpApiEndpoint.get("getSmsStatus", "/sms/:message_id", {
  params: {
    message_id: PathSegment.annotate({ description: "The unique identifier of the SMS message" })
  },
  success: GetSmsStatusResponse,
  error: documented
}).annotateMerge(
  OpenApi.annotations({
    summary: "Returns the status of one SMS",
    description:
      "Returns the status of one SMS by its message identifier. Source: service description §4.2"
  })
)
