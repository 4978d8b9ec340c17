/**
 * Returns the available data bundles.
 *
 * Source: service description §4.5, GET /v1/list-bundles
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type { ClientFailure } from "../errors/ClientFailure.ts"
import { InvalidRequest } from "../errors/DocumentedErrors.ts"

/**
 * One data bundle on offer. Prices, amounts and validity are not described: they stay strings.
 *
 * Source: service description §2.6
 * @since 0.1.0
 */
export const DataBundle = Schema.Struct({
  bundle_id: Schema.String.annotate({ description: "Identifier" }),
  name: Schema.String.annotate({ description: "Name" }),
  price: Schema.String.annotate({ description: "Price, as text" }),
  data_amount: Schema.String.annotate({ description: "Amount of data" }),
  validity: Schema.String.annotate({ description: "Validity" })
}).annotate({ identifier: "DataBundle" })

/**
 * A value of the schema {@link DataBundle}.
 *
 * @since 0.1.0
 */
export interface DataBundle extends Schema.Schema.Type<typeof DataBundle> {}

/**
 * Source: service description §2.6
 * @since 0.1.0
 */
export const ListDataBundlesResponse = Schema.Struct({
  category: Schema.Array(DataBundle).annotate({ description: "The available bundles" })
}).annotate({ identifier: "ListDataBundlesResponse" })

/**
 * A value of the schema {@link ListDataBundlesResponse}.
 *
 * @since 0.1.0
 */
export interface ListDataBundlesResponse extends Schema.Schema.Type<
  typeof ListDataBundlesResponse
> {}

/**
 * The caller's own query parameters; a list repeats its parameter.
 *
 * The description says that the list is for a specified network and shows no parameter for it, so
 * nothing here is named or checked: the parameters pass on as they are.
 *
 * Source: service description §4.5
 * @since 0.1.0
 */
export const ListDataBundlesQuery = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Array(Schema.String)])
)

/**
 * A value of the schema {@link ListDataBundlesQuery}.
 *
 * @since 0.1.0
 */
export interface ListDataBundlesQuery extends Schema.Schema.Type<typeof ListDataBundlesQuery> {}

const documented = [InvalidRequest] as const

/**
 * What `listDataBundles` fails with.
 *
 * @since 0.1.0
 */
export type ListDataBundlesError = InstanceType<(typeof documented)[number]> | ClientFailure

/**
 * The endpoint as data.
 *
 * Source: service description §4.5, GET /v1/list-bundles
 * @since 0.1.0
 */
export const listDataBundles = HttpApiEndpoint.get("listDataBundles", "/v1/list-bundles", {
  query: ListDataBundlesQuery,
  success: ListDataBundlesResponse,
  error: documented
}).annotateMerge(
  OpenApi.annotations({
    summary: "Returns the available data bundles",
    description:
      "Returns the available data bundles. The query parameters, among them the one that selects a network, are not documented. Source: service description §4.5"
  })
)
