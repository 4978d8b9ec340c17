/**
 * Returns the purchase history of an airtime purchase.
 *
 * Source: service description §4.3, GET /v1/airtime/{referencecode}
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
 * One airtime purchase.
 *
 * Source: service description §2.4
 */
export const AirtimeStatusRecord = Schema.Struct({
  message_id: optionalText,
  status: Schema.String,
  recipient_phone: optionalText,
  recipient_network: optionalText,
  date_created: optionalText,
  amount: optionalText
}).annotate({ identifier: "AirtimeStatusRecord" })

/** One airtime purchase. */
export interface AirtimeStatusRecord extends Model.AirtimeStatusRecord {}

/**
 * The purchase history of an airtime purchase.
 *
 * Source: service description §4.3
 */
export const GetAirtimeStatusResponse = envelope(AirtimeStatusRecord).annotate({
  identifier: "GetAirtimeStatusResponse"
})

/** The purchase history of an airtime purchase. */
export interface GetAirtimeStatusResponse extends Model.GetAirtimeStatusResponse {}

const documented = [
  InvalidRequest,
  AuthenticationFailed,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/**
 * The schema of the errors of `getAirtimeStatus`. An encoded error decodes to an instance of the
 * same class.
 */
export const GetAirtimeStatusError = /* @__PURE__ */ errorUnion(documented)

/** The errors of `getAirtimeStatus`. */
export type GetAirtimeStatusError = typeof GetAirtimeStatusError.Type

/**
 * The endpoint of `getAirtimeStatus`, as data.
 *
 * Source: service description §4.3, GET /v1/airtime/{referencecode}
 */
export const getAirtimeStatus = endpoint({
  name: "getAirtimeStatus",
  method: "GET",
  path: "/v1/airtime/{referencecode}",
  purpose: "Returns the purchase history of an airtime purchase for a reference code.",
  section: "4.3",
  params: Schema.Struct({
    referencecode: PathSegment.annotate({
      description: "The reference code of the airtime transaction"
    })
  }),
  success: {
    status: 200,
    schema: GetAirtimeStatusResponse,
    entries: { field: "data", schema: AirtimeStatusRecord }
  },
  errors: documented
})
