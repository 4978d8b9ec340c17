/**
 * Returns the available data bundles.
 *
 * Source: service description §4.5, GET /v1/list-bundles
 */
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../errors/DocumentedErrors.ts"
import { endpoint, errorUnion } from "./Endpoint.ts"
import { optionalText } from "./Fields.ts"
import type * as Model from "./Model.ts"

/**
 * One data bundle on offer.
 *
 * The service does not describe the formats of prices, amounts and validity, so they are strings.
 *
 * Source: service description §2.6
 */
export const DataBundle = Schema.Struct({
  bundle_id: Schema.String,
  name: optionalText,
  price: optionalText,
  data_amount: optionalText,
  validity: optionalText
}).annotate({ identifier: "DataBundle" })

/** One data bundle on offer. */
export interface DataBundle extends Model.DataBundle {}

/**
 * The available data bundles.
 *
 * Source: service description §2.6
 */
export const ListDataBundlesResponse = Schema.Struct({
  category: Schema.Array(DataBundle)
}).annotate({ identifier: "ListDataBundlesResponse" })

/** The available data bundles. */
export interface ListDataBundlesResponse extends Model.ListDataBundlesResponse {}

/**
 * The caller's own query parameters. A list repeats its parameter.
 *
 * The description says that the list is for a specified network, but names no parameter for it. So
 * no name is checked, and the parameters are sent unchanged.
 *
 * Source: service description §4.5
 */
export const ListDataBundlesQuery = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Array(Schema.String)])
)

/** The caller's own query parameters. */
export interface ListDataBundlesQuery extends Model.ListDataBundlesQuery {}

const documented = [InvalidRequest] as const

/**
 * The schema of the errors of `listDataBundles`. An encoded error decodes to an instance of the
 * same class.
 */
export const ListDataBundlesError = /* @__PURE__ */ errorUnion(documented)

/** The errors of `listDataBundles`. */
export type ListDataBundlesError = typeof ListDataBundlesError.Type

/**
 * The endpoint of `listDataBundles`, as data.
 *
 * Source: service description §4.5, GET /v1/list-bundles
 */
export const listDataBundles = endpoint({
  name: "listDataBundles",
  method: "GET",
  path: "/v1/list-bundles",
  purpose: "Returns the available data bundles.",
  section: "4.5",
  query: ListDataBundlesQuery,
  success: {
    status: 200,
    schema: ListDataBundlesResponse,
    entries: { field: "category", schema: DataBundle }
  },
  errors: documented
})
