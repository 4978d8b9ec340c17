/**
 * Returns the status of one SMS.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 */
import * as Schema from "effect/Schema"
import {
  AuthenticationFailed,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound
} from "../errors/DocumentedErrors.ts"
import { endpoint, errorUnion } from "./Endpoint.ts"
import { envelope, optionalText, PathSegment } from "./Fields.ts"
import type * as Model from "./Model.ts"

/**
 * The status of one SMS.
 *
 * Source: service description §2.3
 */
export const SmsStatusRecord = Schema.Struct({
  recipient: optionalText,
  message_id: optionalText,
  status: Schema.String,
  date_created: optionalText,
  sender_id: optionalText
}).annotate({ identifier: "SmsStatusRecord" })

/** The status of one SMS. */
export interface SmsStatusRecord extends Model.SmsStatusRecord {}

/**
 * The status records of one SMS.
 *
 * Source: service description §4.2
 */
export const GetSmsStatusResponse = envelope(SmsStatusRecord).annotate({
  identifier: "GetSmsStatusResponse"
})

/** The status records of one SMS. */
export interface GetSmsStatusResponse extends Model.GetSmsStatusResponse {}

const documented = [
  InvalidRequest,
  AuthenticationFailed,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/**
 * The schema of the errors of `getSmsStatus`. An encoded error decodes to an instance of the same
 * class.
 */
export const GetSmsStatusError = /* @__PURE__ */ errorUnion(documented)

/** The errors of `getSmsStatus`. */
export type GetSmsStatusError = typeof GetSmsStatusError.Type

/**
 * The endpoint of `getSmsStatus`, as data.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 */
export const getSmsStatus = endpoint({
  name: "getSmsStatus",
  method: "GET",
  path: "/sms/{message_id}",
  purpose: "Returns the status of one SMS.",
  section: "4.2",
  params: Schema.Struct({
    message_id: PathSegment.annotate({ description: "The unique identifier of the SMS message" })
  }),
  success: {
    status: 200,
    schema: GetSmsStatusResponse,
    entries: { field: "data", schema: SmsStatusRecord }
  },
  errors: documented
})
