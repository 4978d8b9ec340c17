/**
 * The control endpoints: a test, a script or the inbox uses them to read and control a running
 * sandbox.
 */
import { ErrorBody } from "@messaging-topup/core"
import { Api } from "@messaging-topup/core/api"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { CurrentFault, FaultRequest } from "../faults/FaultSchema.ts"
import {
  MessagePage,
  messageQuery,
  RequestPage,
  requestQuery,
  StoredMessage,
  StoredRequest
} from "../record/Schemas.ts"

const event = <const Name extends string, S extends Schema.Codec<unknown, unknown>>(
  name: Name,
  data: S,
  description: string
) =>
  Schema.Struct({ event: Schema.Literal(name), data: Schema.fromJsonString(data) }).annotate({
    description
  })

/** One event: its name, and its data, which is one line of JSON on the wire. */
export const SandboxEvent = Schema.Union([
  event("message", StoredMessage, "A message was accepted, or its status changed"),
  event("request", StoredRequest, "A request ended"),
  event("fault", CurrentFault, "A fault was set, counted down, ran out or was cleared"),
  event(
    "cleared",
    Schema.Struct({ messages: Schema.Boolean, requests: Schema.Boolean }),
    "The messages or the requests were deleted"
  )
]).annotate({ identifier: "SandboxEvent" })

// Each status has its own schema, so that in OpenAPI all of them refer to one error body.
const refused = (status: number) =>
  ErrorBody.pipe(
    Schema.decodeTo(Schema.toType(ErrorBody), SchemaTransformation.passthrough())
  ).annotate({ httpApiStatus: status })

/** Every endpoint checks access. */
const forbidden = [refused(401), refused(403)] as const
const forbiddenOrInvalid = [refused(400), ...forbidden] as const
const forbiddenOrUnknown = [...forbidden, refused(404)] as const

const noContent = Schema.Void.annotate({ httpApiStatus: 204 })

const described = (identifier: string, summary: string) =>
  OpenApi.annotations({
    identifier,
    summary,
    // The token is needed beyond loopback only. OpenAPI can only say "with the token or without".
    override: { security: [{ bearer: [] }, {}] }
  })

const params = {
  message_id: Schema.String.annotate({ description: "Assigned by the sandbox" })
}

/** Rejects unknown names: a misspelt name would have no effect. */
const strict = { onExcessProperty: "error" } as const

/** The control endpoints. */
export const control = HttpApiGroup.make("control")
  .annotate(HttpApi.QueryParseOptions, strict)
  .annotate(HttpApi.PayloadParseOptions, strict)
  .add(
    HttpApiEndpoint.get("listMessages", "/_sandbox/messages", {
      query: messageQuery,
      success: MessagePage,
      error: forbiddenOrInvalid
    }).annotateMerge(
      described("listMessages", "Lists the accepted messages, newest first. Can wait for one.")
    ),

    HttpApiEndpoint.get("getMessage", "/_sandbox/messages/:message_id", {
      params,
      success: StoredMessage,
      error: forbiddenOrUnknown
    }).annotateMerge(described("getMessage", "Returns one accepted message.")),

    HttpApiEndpoint.delete("clearMessages", "/_sandbox/messages", {
      success: noContent,
      error: forbiddenOrInvalid
    }).annotateMerge(described("clearMessages", "Deletes all messages. Requests stay.")),

    HttpApiEndpoint.post("setMessageStatus", "/_sandbox/messages/:message_id/status", {
      params,
      payload: Schema.Struct({
        status: Schema.NonEmptyString.annotate({
          description: "The status that every read returns from now on, until it is set again"
        })
      }),
      success: StoredMessage,
      error: [...forbiddenOrInvalid, refused(404)]
    }).annotateMerge(described("setMessageStatus", "Sets the status of one message.")),

    HttpApiEndpoint.get("listRequests", "/_sandbox/requests", {
      query: requestQuery,
      success: RequestPage,
      error: forbiddenOrInvalid
    }).annotateMerge(
      described("listRequests", "Lists the requests to the five endpoints, newest first.")
    ),

    HttpApiEndpoint.delete("clearRequests", "/_sandbox/requests", {
      success: noContent,
      error: forbiddenOrInvalid
    }).annotateMerge(described("clearRequests", "Deletes all requests. Messages stay.")),

    HttpApiEndpoint.get("getFault", "/_sandbox/fault", {
      success: CurrentFault,
      error: forbidden
    }).annotateMerge(described("getFault", "Returns the fault that the next request gets.")),

    HttpApiEndpoint.put("setFault", "/_sandbox/fault", {
      payload: FaultRequest,
      success: CurrentFault,
      error: forbiddenOrInvalid
    }).annotateMerge(described("setFault", "Sets a fault, which replaces any other.")),

    HttpApiEndpoint.delete("clearFault", "/_sandbox/fault", {
      success: noContent,
      error: forbidden
    }).annotateMerge(described("clearFault", "Clears the fault.")),

    HttpApiEndpoint.delete("reset", "/_sandbox", {
      success: noContent,
      error: forbiddenOrInvalid
    }).annotateMerge(
      described("reset", "Deletes all messages and requests, and clears the fault.")
    ),

    HttpApiEndpoint.get("getToken", "/_sandbox/token", {
      success: Schema.Struct({
        token: Schema.optionalKey(
          Schema.String.annotate({
            description: "Absent if it was given to the sandbox and has 16 characters or more"
          })
        )
      }),
      error: forbidden
    }).annotateMerge(
      described("getToken", "Returns the access token, unless it may be that of the real service.")
    ),

    HttpApiEndpoint.get("streamEvents", "/_sandbox/events", {
      success: HttpApiSchema.StreamSse({ events: SandboxEvent }),
      error: [...forbidden, refused(503)]
    }).annotateMerge(
      described(
        "streamEvents",
        "Streams events from now on. A reader that is too slow is disconnected."
      )
    )
  )

/** The health endpoint. */
export const health = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("getHealth", "/healthz", {
    success: Schema.Struct({ status: Schema.Literal("ok") })
  }).annotateMerge(
    OpenApi.annotations({ identifier: "getHealth", summary: "Responds while the sandbox runs." })
  )
)

/** The contract of the sandbox. */
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
