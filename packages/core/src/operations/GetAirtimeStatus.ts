/**
 * Returns the purchase history of an airtime purchase.
 *
 * Source: service description §4.3, GET /v1/airtime/{referencecode}
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
 * One airtime purchase. Amounts, dates and statuses are not described: they stay strings.
 *
 * Source: service description §2.4
 * @since 0.1.0
 */
export const AirtimeStatusRecord = Schema.Struct({
  message_id: Schema.String.annotate({ description: "Identifier" }),
  status: Schema.String.annotate({ description: "Status, an open set" }),
  recipient_phone: Schema.String.annotate({ description: "Phone number" }),
  recipient_network: Schema.String.annotate({ description: "Network" }),
  date_created: Schema.String.annotate({ description: "Created at" }),
  amount: Schema.String.annotate({ description: "Amount, as text" })
}).annotate({ identifier: "AirtimeStatusRecord" })

/**
 * A value of the schema {@link AirtimeStatusRecord}.
 *
 * @since 0.1.0
 */
export interface AirtimeStatusRecord extends Schema.Schema.Type<typeof AirtimeStatusRecord> {}

/**
 * Source: service description §4.3
 * @since 0.1.0
 */
export const GetAirtimeStatusResponse = envelope(AirtimeStatusRecord).annotate({
  identifier: "GetAirtimeStatusResponse"
})

/**
 * A value of the schema {@link GetAirtimeStatusResponse}.
 *
 * @since 0.1.0
 */
export interface GetAirtimeStatusResponse extends Schema.Schema.Type<
  typeof GetAirtimeStatusResponse
> {}

const documented = [
  InvalidRequest,
  AuthenticationFailed,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/**
 * What `getAirtimeStatus` fails with.
 *
 * @since 0.1.0
 */
export type GetAirtimeStatusError = InstanceType<(typeof documented)[number]> | ClientFailure

/**
 * The endpoint as data.
 *
 * Source: service description §4.3, GET /v1/airtime/{referencecode}
 * @since 0.1.0
 */
export const getAirtimeStatus = HttpApiEndpoint.get(
  "getAirtimeStatus",
  "/v1/airtime/:referencecode",
  {
    params: {
      referencecode: PathSegment.annotate({
        description: "The reference code of the airtime transaction"
      })
    },
    success: GetAirtimeStatusResponse,
    error: documented
  }
).annotateMerge(
  OpenApi.annotations({
    summary: "Returns the purchase history of an airtime purchase",
    description:
      "Returns the purchase history of an airtime purchase for a reference code. Source: service description §4.3"
  })
)
