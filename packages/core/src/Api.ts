/**
 * The five operations as an Effect `HttpApi`, for servers and for composition with other contracts.
 *
 * Unstable, because the Effect modules that it uses are unstable.
 */
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { ErrorDetail } from "./errors/DocumentedErrors.ts"
import {
  getAirtimeStatus,
  getDataBundleStatus,
  getSmsStatus,
  listDataBundles,
  sendSms
} from "./operations/Endpoints.ts"
import { ErrorBody } from "./operations/Schemas.ts"

/**
 * Requires the bearer header on every endpoint.
 *
 * It declares no error: the service documents 401 for three of the five operations, and an error
 * declared here would apply to all five.
 *
 * Source: service description §5
 */
export class BearerAuth extends HttpApiMiddleware.Service<BearerAuth>()(
  "@messaging-topup/core/BearerAuth",
  { security: { bearer: HttpApiSecurity.bearer } }
) {}

type Route<Path extends string> = Path extends `${infer Before}{${infer Name}}${infer After}`
  ? `${Before}:${Name}${Route<After>}`
  : Path

/** Writes each parameter of the path in Effect's form: `{name}` becomes `:name`. */
const route = <const Path extends `/${string}`>(path: Path) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Route` describes this replacement
  path.replace(/\{(\w+)\}/g, ":$1") as Route<Path> & `/${string}`

/** The purpose is in the words of the service description. */
const described = ({ name }: { readonly name: string }, purpose: string) =>
  OpenApi.annotations({ identifier: name, summary: purpose })

const successSchema = <S extends Schema.Top>({
  schema,
  status
}: {
  readonly schema: S
  readonly status: number
}) => schema.annotate({ httpApiStatus: status })

interface ErrorClass<E> {
  readonly tag: string
  readonly status: number
  new (fields: { readonly operation: string; readonly error: ErrorDetail }): E
}

type ErrorSchemas<Errors extends ReadonlyArray<ErrorClass<unknown>>> = {
  readonly [Index in keyof Errors]: Schema.Codec<InstanceType<Errors[Index]>, typeof ErrorBody.Type>
}

/**
 * Encodes the documented errors as the service does: only the error body, with the HTTP status of the
 * class.
 */
const errorSchemas = <
  const Errors extends ReadonlyArray<ErrorClass<{ readonly error: ErrorDetail }>>
>({
  errors,
  name: operation
}: {
  readonly errors: Errors
  readonly name: string
}): ErrorSchemas<Errors> =>
  // The type of `map` does not keep a tuple.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  errors.map((error) =>
    ErrorBody.pipe(
      Schema.decodeTo(
        Schema.instanceOf(error, { identifier: error.tag }),
        SchemaTransformation.transform({
          decode: (body) => new error({ operation, error: body.error }),
          encode: ({ error: detail }) => ({ success: false, error: detail })
        })
      )
    ).annotate({ httpApiStatus: error.status })
  ) as unknown as ErrorSchemas<Errors>

const sends = HttpApiEndpoint.post(sendSms.name, route(sendSms.path), {
  payload: sendSms.payload,
  success: successSchema(sendSms.success),
  error: errorSchemas(sendSms)
}).annotateMerge(
  described(
    sendSms,
    "Sends an SMS to a recipient, optionally with a custom sender ID, a status-update callback URL and a scheduled time."
  )
)

const smsStatus = HttpApiEndpoint.get(getSmsStatus.name, route(getSmsStatus.path), {
  params: getSmsStatus.params,
  success: successSchema(getSmsStatus.success),
  error: errorSchemas(getSmsStatus)
}).annotateMerge(described(getSmsStatus, "Returns the status of one SMS."))

const airtimeStatus = HttpApiEndpoint.get(getAirtimeStatus.name, route(getAirtimeStatus.path), {
  params: getAirtimeStatus.params,
  success: successSchema(getAirtimeStatus.success),
  error: errorSchemas(getAirtimeStatus)
}).annotateMerge(
  described(
    getAirtimeStatus,
    "Returns the purchase history of an airtime purchase for a reference code."
  )
)

const bundleStatus = HttpApiEndpoint.get(
  getDataBundleStatus.name,
  route(getDataBundleStatus.path),
  {
    params: getDataBundleStatus.params,
    success: successSchema(getDataBundleStatus.success),
    error: errorSchemas(getDataBundleStatus)
  }
).annotateMerge(described(getDataBundleStatus, "Returns the status of a purchased data bundle."))

const bundles = HttpApiEndpoint.get(listDataBundles.name, route(listDataBundles.path), {
  query: listDataBundles.query,
  success: successSchema(listDataBundles.success),
  error: errorSchemas(listDataBundles)
}).annotateMerge(described(listDataBundles, "Returns the available data bundles."))

/**
 * The contract of the five operations.
 *
 * Source: service description §4
 */
export const Api = HttpApi.make("messagingTopup")
  .add(
    HttpApiGroup.make("messagingTopup", { topLevel: true })
      .add(sends, smsStatus, airtimeStatus, bundleStatus, bundles)
      .middleware(BearerAuth)
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Messaging and Top-up Service API", version: "1.0.0" })
  )

/**
 * Returns whether the generator added a keyword that the service description does not state: that
 * no other field is allowed (a client accepts them), the range of JavaScript's safe integers, and
 * Effect's extension for streams.
 */
const isAddition = (key: string, value: unknown): boolean =>
  key === "x-effect-stream" ||
  (key === "additionalProperties" && value === false) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** The generator wraps an integer with a format in `allOf`, which code generators do not expect. */
const unwrapped = (value: unknown): unknown => {
  if (!Predicate.hasProperty(value, "allOf") || !Array.isArray(value.allOf)) return value
  const { allOf, ...others } = value
  return Object.assign(others, ...allOf)
}

/**
 * Returns the OpenAPI 3.1 document of a contract, such as one that includes the endpoints of the
 * service.
 *
 * Unstable, because the Effect modules of a contract are unstable.
 */
export const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): object =>
  JSON.parse(
    JSON.stringify(OpenApi.fromApi(api), (key, value: unknown) =>
      isAddition(key, value) ? undefined : unwrapped(value)
    )
  )
