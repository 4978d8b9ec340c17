/**
 * The endpoints of a sandbox: those of the service, and the control endpoints, by which a test, a script or the page
 * reads and controls a running sandbox.
 */
import { Schemas } from "@messaging-topup/core"
import { Api } from "@messaging-topup/core/api"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { AnyFault } from "./faults/Faults.ts"
import { SchemaErrors } from "./http/SchemaErrors.ts"
import {
  changesQuery,
  CurrentFault,
  MessagePage,
  messageQuery,
  RequestPage,
  requestQuery,
  StoredMessage
} from "./Schemas.ts"

// Each status has its own schema, so that in OpenAPI all of them refer to one error body.
const errorOf = (status: number) =>
  Schemas.ErrorBody.pipe(
    Schema.decodeTo(Schema.toType(Schemas.ErrorBody), SchemaTransformation.passthrough())
  ).annotate({ httpApiStatus: status })

/** Every endpoint checks access. */
const error = [errorOf(400), errorOf(401), errorOf(403)] as const

const noContent = Schema.Void.annotate({ httpApiStatus: 204 })

/** Rejects unknown names: a misspelled name would have no effect. */
const strict = { onExcessProperty: "error" } as const

/** The control endpoints, and the one that only the page uses: `awaitChange`. */
const control = HttpApiGroup.make("control", { topLevel: true })
  .annotate(HttpApi.QueryParseOptions, strict)
  .annotate(HttpApi.PayloadParseOptions, strict)
  .add(
    HttpApiEndpoint.get("listMessages", "/_sandbox/messages", {
      query: messageQuery,
      success: MessagePage,
      error
    }),
    HttpApiEndpoint.post("setMessageStatus", "/_sandbox/messages/:message_id/status", {
      params: { message_id: Schema.String },
      payload: Schema.Struct({ status: Schema.NonEmptyString }),
      success: StoredMessage,
      error: [...error, errorOf(404)]
    }),
    HttpApiEndpoint.get("listRequests", "/_sandbox/requests", {
      query: requestQuery,
      success: RequestPage,
      error
    }),
    HttpApiEndpoint.get("getFault", "/_sandbox/fault", { success: CurrentFault, error }),
    HttpApiEndpoint.put("setFault", "/_sandbox/fault", {
      payload: AnyFault,
      success: CurrentFault,
      error
    }),
    HttpApiEndpoint.delete("clearFault", "/_sandbox/fault", { success: noContent, error }),
    HttpApiEndpoint.delete("reset", "/_sandbox", { success: noContent, error }),
    HttpApiEndpoint.get("awaitChange", "/_sandbox/changes", {
      query: changesQuery,
      success: Schema.Struct({ version: Schema.Int }),
      error
    })
  )
  // The token is needed beyond loopback only. OpenAPI can only say "with the token or without".
  .annotateEndpoints(OpenApi.Override, { security: [{ bearer: [] }, {}] })

const health = HttpApiGroup.make("health", { topLevel: true }).add(
  HttpApiEndpoint.get("getHealth", "/healthz", {
    success: Schema.Struct({ status: Schema.Literal("ok") })
  })
)

/** What the service serves. */
export const ServiceApi = Api.middleware(SchemaErrors)

/** What the control endpoints serve. */
export const ControlApi = HttpApi.make("messagingTopupControl")
  .add(control, health)
  .middleware(SchemaErrors)

/** All of them, for the OpenAPI document. */
export const SandboxApi = HttpApi.make("messagingTopupSandbox")
  // Only the group is added. With the whole contract, its title would become a tag in OpenAPI.
  .add(Api.groups.messagingTopup, control, health)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sandbox of the Messaging and Top-up Service",
      version: "1.0.0",
      description:
        "The five endpoints of the service, and the control endpoints of the sandbox. The control endpoints need the bearer token if the sandbox listens beyond loopback."
    })
  )
