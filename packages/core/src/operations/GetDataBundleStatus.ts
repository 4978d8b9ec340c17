/**
 * Returns the status of a purchased data bundle.
 *
 * Source: service description §4.4, GET /v1/databundle/{referencecode}
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type { ClientFailure } from "../errors/ClientFailure.ts"
import { InvalidRequest } from "../errors/DocumentedErrors.ts"
import { PathSegment } from "./PathSegment.ts"

/**
 * The status of one data bundle purchase, without an envelope.
 *
 * Source: service description §2.5
 * @since 0.1.0
 */
export const GetDataBundleStatusResponse = Schema.Struct({
  transaction_id: Schema.String.annotate({ description: "Identifier" }),
  recipient_phone: Schema.String.annotate({ description: "Phone number" }),
  recipient_network: Schema.String.annotate({ description: "Network" }),
  plan_id: Schema.String.annotate({ description: "Plan" }),
  status: Schema.String.annotate({ description: "Status, an open set" })
}).annotate({ identifier: "GetDataBundleStatusResponse" })

/**
 * A value of the schema {@link GetDataBundleStatusResponse}.
 *
 * @since 0.1.0
 */
export interface GetDataBundleStatusResponse extends Schema.Schema.Type<
  typeof GetDataBundleStatusResponse
> {}

const documented = [InvalidRequest] as const

/**
 * What `getDataBundleStatus` fails with.
 *
 * @since 0.1.0
 */
export type GetDataBundleStatusError = InstanceType<(typeof documented)[number]> | ClientFailure

/**
 * The endpoint as data.
 *
 * Source: service description §4.4, GET /v1/databundle/{referencecode}
 * @since 0.1.0
 */
export const getDataBundleStatus = HttpApiEndpoint.get(
  "getDataBundleStatus",
  "/v1/databundle/:referencecode",
  {
    params: {
      referencecode: PathSegment.annotate({
        description: "The reference code of the data bundle purchase"
      })
    },
    success: GetDataBundleStatusResponse,
    error: documented
  }
).annotateMerge(
  OpenApi.annotations({
    summary: "Returns the status of a purchased data bundle",
    description:
      "Returns the status of a purchased data bundle for a reference code. Source: service description §4.4"
  })
)
