import { it } from "@effect/vitest"
import { Api, BearerAuth } from "@messaging-topup/core/api"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
// The interpreter is no part of the public interface, and no public contract outgrows it.
import * as Interpreter from "../../packages/core/src/internal/Interpreter.ts"
import { token } from "../support/Clients.ts"
import { operationNames } from "../support/Contract.ts"

const define = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  Effect.map(
    HttpClient.HttpClient,
    (client) => () =>
      Interpreter.make(api, {
        client,
        baseUrl: new URL("http://127.0.0.1"),
        token: Redacted.make(token),
        timeout: Duration.seconds(1),
        readRetries: 0,
        maxBodyBytes: 1024
      })
  ).pipe(Effect.provide(NodeTransport.layer))

const contractOf = (endpoint: HttpApiEndpoint.Constraint) =>
  HttpApi.make("api").add(HttpApiGroup.make("group", { topLevel: true }).add(endpoint))

class Tenant extends HttpApiMiddleware.Service<Tenant>()("Tenant") {}

class Refused extends Schema.Error<Refused>("Refused")(Schema.Struct({ why: Schema.String })) {}

const success = Schema.Struct({ id: Schema.String })
const other = Schema.Struct({ name: Schema.String })
const { get, post } = HttpApiEndpoint

const asText = HttpApiSchema.asText()
const pathShape = "path parameters that are optional, have a pattern or share a segment"
const pathNames = "path parameters other than its schema"
const onlyOneSuccess = "anything but one success that is a body"

const unsupported: ReadonlyArray<
  readonly [what: string, named: string, endpoint: HttpApiEndpoint.Constraint]
> = [
  [
    "request headers",
    "request headers",
    get("x", "/x", { headers: { "x-tenant": Schema.String }, success })
  ],
  [
    "an optional path parameter",
    pathShape,
    get("x", "/x/:id?", { params: { id: Schema.String }, success })
  ],
  ["a wildcard in the path", pathShape, get("x", "/x/*", { success })],
  [
    "another middleware",
    "the middleware Tenant",
    get("x", "/x", { success }).middleware(BearerAuth).middleware(Tenant)
  ],
  [
    "several JSON payloads",
    "a payload of application/json",
    post("x", "/x", { payload: [success, other], success })
  ],
  [
    "payloads of several content types",
    "a payload of text/plain",
    post("x", "/x", { payload: [success, Schema.String.pipe(asText)], success })
  ],
  [
    "a text payload",
    "a payload of text/plain",
    post("x", "/x", { payload: Schema.String.pipe(asText), success })
  ],
  [
    "a form as payload",
    "a payload of application/x-www-form-urlencoded",
    post("x", "/x", { payload: other.pipe(HttpApiSchema.asFormUrlEncoded()), success })
  ],
  [
    "a multipart payload",
    "a payload of multipart/form-data",
    post("x", "/x", { payload: other.pipe(HttpApiSchema.asMultipart()), success })
  ],
  [
    "a JSON payload of another content type",
    "a payload of application/vnd.api+json",
    post("x", "/x", {
      payload: other.pipe(HttpApiSchema.asJson({ contentType: "application/vnd.api+json" })),
      success
    })
  ],
  [
    "a payload of a GET, which is its query",
    "a payload of application/x-www-form-urlencoded",
    get("x", "/x", { payload: { name: Schema.String }, success })
  ],
  [
    "successes of several statuses",
    onlyOneSuccess,
    post("x", "/x", { success: [success, other.pipe(HttpApiSchema.status(202))] })
  ],
  ["successes of one status", onlyOneSuccess, get("x", "/x", { success: [success, other] })],
  ["no success", onlyOneSuccess, get("x", "/x")],
  [
    "a success without a body",
    "a body of status 201 that is not JSON",
    post("x", "/x", { success: HttpApiSchema.Created })
  ],
  [
    "a text as success",
    "a body of status 200 that is not JSON",
    get("x", "/x", { success: Schema.String.pipe(asText) })
  ],
  [
    "bytes as success",
    "a body of status 200 that is not JSON",
    get("x", "/x", { success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()) })
  ],
  [
    "a stream of bytes",
    onlyOneSuccess,
    get("x", "/x", { success: HttpApiSchema.StreamUint8Array() })
  ],
  [
    "a stream of lines",
    onlyOneSuccess,
    get("x", "/x", { success: HttpApiSchema.StreamNdjson({ schema: success }) })
  ],
  [
    "a stream of events",
    onlyOneSuccess,
    get("x", "/x", { success: HttpApiSchema.StreamSse({ data: success }) })
  ],
  [
    "a stream beside a JSON success",
    onlyOneSuccess,
    get("x", "/x", { success: [success, HttpApiSchema.StreamSse({ data: success })] })
  ],
  [
    "an upgrade",
    onlyOneSuccess,
    get("x", "/x", { success: HttpApiSchema.Upgrade({ protocol: "custom" }) })
  ],
  [
    "response headers",
    "response headers of status 200",
    get("x", "/x", { success: HttpApiSchema.WithHeaders(success, { etag: Schema.String }) })
  ],
  [
    "an error without a body",
    "a body of status 500 that is not JSON",
    get("x", "/x", { success, error: HttpApiSchema.Empty(500) })
  ],
  [
    "errors of one status",
    "several bodies of status 400",
    get("x", "/x", {
      success,
      error: [success.pipe(HttpApiSchema.status(400)), other.pipe(HttpApiSchema.status(400))]
    })
  ],
  [
    "an error with the status of the success",
    "status 200 as success and as error",
    get("x", "/x", { success, error: Refused.pipe(HttpApiSchema.status(200)) })
  ],
  ["a path parameter that no schema describes", pathNames, get("x", "/x/:id", { success })],
  [
    "one path parameter of two that a schema describes",
    pathNames,
    get("x", "/x/:id/:part", { params: { id: Schema.String }, success })
  ],
  [
    "two path parameters in one segment",
    pathShape,
    get("x", "/x/:id-:part", {
      params: { id: Schema.String, part: Schema.String },
      success
    })
  ],
  [
    "a path parameter with a pattern",
    pathShape,
    get("x", "/x/:id(\\d+)", { params: { id: Schema.String }, success })
  ],
  [
    "a schema for a path parameter that the path does not have",
    pathNames,
    get("x", "/x", { params: { id: Schema.String }, success })
  ]
]

describe("a client of a contract", () => {
  it.effect("has a method for each of the five operations", () =>
    Effect.map(define(Api), (make) => {
      expect(Object.keys(make())).toEqual(operationNames)
    })
  )

  it.effect("takes an endpoint of another contract that stays within what it can carry out", () =>
    Effect.gen(function* () {
      const make = yield* define(
        contractOf(
          post("x", "/x/:id", {
            params: { id: Schema.String },
            query: { page: Schema.String },
            payload: other,
            success: success.pipe(HttpApiSchema.status(201)),
            error: Refused.pipe(HttpApiSchema.status(400))
          }).middleware(BearerAuth)
        )
      )
      expect(Object.keys(make())).toEqual(["x"])
    })
  )

  it.effect.each(unsupported)("cannot be defined over %s", ([, named, endpoint]) =>
    Effect.map(define(contractOf(endpoint)), (make) => {
      expect(make).toThrow(`The client cannot carry out ${named}, which the endpoint "x" declares`)
    })
  )
})
