/**
 * The five operations as an Effect `HttpApi`, for servers and for composition with other contracts.
 *
 * Unstable, because the Effect modules that it uses are unstable.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { errorSchemas } from "./ErrorSchemas.ts"
import { getAirtimeStatus } from "./operations/GetAirtimeStatus.ts"
import { getDataBundleStatus } from "./operations/GetDataBundleStatus.ts"
import { getSmsStatus } from "./operations/GetSmsStatus.ts"
import { listDataBundles } from "./operations/ListDataBundles.ts"
import { sendSms } from "./operations/SendSms.ts"

/**
 * Requires the bearer header on every endpoint.
 *
 * It declares no error: the service documents 401 for three of the five operations, and an error
 * declared here would apply to all five.
 *
 * Source: service description §5
 * @since 0.1.0
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

const described = ({ name, purpose }: { readonly name: string; readonly purpose: string }) =>
  OpenApi.annotations({ identifier: name, summary: purpose })

const success = <S extends Schema.Top>({
  schema,
  status
}: {
  readonly schema: S
  readonly status: number
}) => schema.annotate({ httpApiStatus: status })

const sends = HttpApiEndpoint.post(sendSms.name, route(sendSms.path), {
  payload: sendSms.payload,
  success: success(sendSms.success),
  error: errorSchemas(sendSms.errors)
}).annotateMerge(described(sendSms))

const smsStatus = HttpApiEndpoint.get(getSmsStatus.name, route(getSmsStatus.path), {
  params: getSmsStatus.params,
  success: success(getSmsStatus.success),
  error: errorSchemas(getSmsStatus.errors)
}).annotateMerge(described(getSmsStatus))

const airtimeStatus = HttpApiEndpoint.get(getAirtimeStatus.name, route(getAirtimeStatus.path), {
  params: getAirtimeStatus.params,
  success: success(getAirtimeStatus.success),
  error: errorSchemas(getAirtimeStatus.errors)
}).annotateMerge(described(getAirtimeStatus))

const bundleStatus = HttpApiEndpoint.get(
  getDataBundleStatus.name,
  route(getDataBundleStatus.path),
  {
    params: getDataBundleStatus.params,
    success: success(getDataBundleStatus.success),
    error: errorSchemas(getDataBundleStatus.errors)
  }
).annotateMerge(described(getDataBundleStatus))

const bundles = HttpApiEndpoint.get(listDataBundles.name, route(listDataBundles.path), {
  query: listDataBundles.query,
  success: success(listDataBundles.success),
  error: errorSchemas(listDataBundles.errors)
}).annotateMerge(described(listDataBundles))

/**
 * The contract of the five operations.
 *
 * Source: service description §4
 * @since 0.1.0
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
