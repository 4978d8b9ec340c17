import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../harness/sandbox/Client.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

const Operation = Schema.Struct({
  operationId: Schema.String,
  tags: Schema.Array(Schema.String),
  security: Schema.Array(Schema.Json),
  responses: Schema.Record(
    Schema.String,
    Schema.Struct({ content: Schema.optionalKey(Schema.Json) })
  )
})

/** The tests of core check the rest of its form. */
const OpenApi = Schema.Struct({
  openapi: Schema.Literal("3.1.0"),
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation)),
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String, Schema.Json),
    securitySchemes: Schema.Record(Schema.String, Schema.Json)
  })
})

const read = Effect.map(call("/openapi.json", { headers: {} }), ({ body }) => body)

const document = Effect.flatMap(read, Schema.decodeEffect(Schema.fromJsonString(OpenApi)))

describe("GET /openapi.json", () => {
  sandboxTest(
    "is an OpenAPI 3.1 document of the five endpoints and the control endpoints",
    Effect.gen(function* () {
      const { paths } = yield* document
      const operations = Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`)
      )
      expect(operations).toEqual([
        "sendSms: post /sms/send",
        "getSmsStatus: get /sms/{message_id}",
        "getAirtimeStatus: get /v1/airtime/{referencecode}",
        "getDataBundleStatus: get /v1/databundle/{referencecode}",
        "listDataBundles: get /v1/list-bundles",
        "listMessages: get /_sandbox/messages",
        "setMessageStatus: post /_sandbox/messages/{message_id}/status",
        "listRequests: get /_sandbox/requests",
        "getFault: get /_sandbox/fault",
        "setFault: put /_sandbox/fault",
        "clearFault: delete /_sandbox/fault",
        "reset: delete /_sandbox",
        "awaitChange: get /_sandbox/changes",
        "sendFromPage: post /_sandbox/send",
        "getHealth: get /healthz"
      ])
    })
  )

  sandboxTest(
    "has no broken references, and no duplicate or unused schemas",
    Effect.gen(function* () {
      const { components } = yield* document
      const references = (yield* read).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
      const names = Object.keys(components.schemas)
      expect(new Set([...references].map(([, name]) => name))).toEqual(new Set(names))
      expect(names.filter((name) => /_\d+$/.test(name))).toEqual([])
    })
  )

  sandboxTest(
    "requires the token for the five endpoints, and allows it for the control endpoints",
    Effect.gen(function* () {
      const { components, paths } = yield* document
      for (const [path, item] of Object.entries(paths)) {
        for (const { security } of Object.values(item)) {
          if (path === "/healthz") expect(security).toEqual([])
          else if (path.startsWith("/_sandbox")) expect(security).toEqual([{ bearer: [] }, {}])
          else expect(security).toEqual([{ bearer: [] }])
        }
      }
      expect(Object.keys(components.securitySchemes)).toEqual(["bearer"])
    })
  )

  sandboxTest(
    "has the same error body for every error",
    Effect.gen(function* () {
      const { paths } = yield* document
      const operations = Object.values(paths).flatMap((item) => Object.values(item))
      for (const { responses } of operations.filter(({ tags }) => tags[0] === "control")) {
        for (const [status, { content }] of Object.entries(responses)) {
          if (Number(status) < 400) continue
          expect(content).toEqual({
            "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } }
          })
        }
      }
    })
  )
})
