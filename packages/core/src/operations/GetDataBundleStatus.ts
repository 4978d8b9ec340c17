/**
 * Returns the status of a purchased data bundle.
 *
 * Source: service description §4.4, GET /v1/databundle/{referencecode}
 */
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../errors/DocumentedErrors.ts"
import { endpoint, errorUnion } from "./Endpoint.ts"
import { optionalText, PathSegment } from "./Fields.ts"
import type * as Model from "./Model.ts"

/**
 * The status of one data bundle purchase, without an envelope.
 *
 * Source: service description §2.5
 */
export const GetDataBundleStatusResponse = Schema.Struct({
  transaction_id: optionalText,
  recipient_phone: optionalText,
  recipient_network: optionalText,
  plan_id: optionalText,
  status: Schema.String
}).annotate({ identifier: "GetDataBundleStatusResponse" })

/** The status of one data bundle purchase. */
export interface GetDataBundleStatusResponse extends Model.GetDataBundleStatusResponse {}

const documented = [InvalidRequest] as const

/**
 * The schema of the errors of `getDataBundleStatus`. An encoded error decodes to an instance of the
 * same class.
 */
export const GetDataBundleStatusError = /* @__PURE__ */ errorUnion(documented)

/** The errors of `getDataBundleStatus`. */
export type GetDataBundleStatusError = typeof GetDataBundleStatusError.Type

/**
 * The endpoint of `getDataBundleStatus`, as data.
 *
 * Source: service description §4.4, GET /v1/databundle/{referencecode}
 */
export const getDataBundleStatus = endpoint({
  name: "getDataBundleStatus",
  method: "GET",
  path: "/v1/databundle/{referencecode}",
  purpose: "Returns the status of a purchased data bundle.",
  section: "4.4",
  params: Schema.Struct({ referencecode: PathSegment }),
  success: { status: 200, schema: GetDataBundleStatusResponse },
  errors: documented
})
