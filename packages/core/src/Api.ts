/**
 * The five operations as one contract, from which the client, the sandbox and the OpenAPI document
 * come.
 *
 * @since 0.1.0
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { getAirtimeStatus } from "./operations/GetAirtimeStatus.ts"
import { getDataBundleStatus } from "./operations/GetDataBundleStatus.ts"
import { getSmsStatus } from "./operations/GetSmsStatus.ts"
import { listDataBundles } from "./operations/ListDataBundles.ts"
import { sendSms } from "./operations/SendSms.ts"

/**
 * Every endpoint requires the bearer header.
 *
 * It declares no error: 401 is documented for three of the five operations, and an error declared
 * here would join all of them.
 *
 * Source: service description §5
 * @since 0.1.0
 */
export class BearerAuth extends HttpApiMiddleware.Service<BearerAuth>()(
  "@messaging-topup/core/BearerAuth",
  { security: { bearer: HttpApiSecurity.bearer } }
) {}

/**
 * Unstable, as the Effect modules that it is made of.
 *
 * Source: service description §4
 * @since 0.1.0
 */
export const Api = HttpApi.make("messagingTopup")
  .add(
    HttpApiGroup.make("messagingTopup", { topLevel: true })
      .add(sendSms, getSmsStatus, getAirtimeStatus, getDataBundleStatus, listDataBundles)
      .middleware(BearerAuth)
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Messaging and Top-up Service API", version: "1.0.0" })
  )
