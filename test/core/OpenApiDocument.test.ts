import { document } from "@messaging-topup/core/openapi"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import { contract, operationNames, type OperationName } from "../support/Contract.ts"

/** Every value of the document with its JSON pointer. */
const walk = function* (value: unknown, pointer: string): Generator<readonly [string, unknown]> {
  yield [pointer, value]
  if (!Predicate.isObjectOrArray(value)) return
  for (const [key, child] of Object.entries(value)) {
    yield* walk(child, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`)
  }
}

const values = new Map(walk(document, "#"))

const named = (last: string): ReadonlyArray<unknown> =>
  [...values].filter(([pointer]) => pointer.endsWith(`/${last}`)).map(([, value]) => value)

const Content = Schema.Struct({
  "application/json": Schema.Struct({
    schema: Schema.Struct({ $ref: Schema.String })
  })
})

const Operation = Schema.Struct({
  operationId: Schema.String,
  summary: Schema.String,
  tags: Schema.Tuple([Schema.Literal("messagingTopup")]),
  security: Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  parameters: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      in: Schema.Literals(["path", "query", "header", "cookie"]),
      required: Schema.Boolean,
      schema: Schema.Struct({
        type: Schema.Literal("string"),
        minLength: Schema.optionalKey(Schema.Int),
        description: Schema.optionalKey(Schema.String)
      })
    })
  ),
  requestBody: Schema.optionalKey(
    Schema.Struct({ content: Content, required: Schema.Literal(true) })
  ),
  responses: Schema.Record(
    Schema.String,
    Schema.Struct({ description: Schema.String, content: Content })
  )
})

const ObjectSchema = Schema.Struct({
  type: Schema.Literal("object"),
  properties: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)),
  required: Schema.Array(Schema.String)
})

// The fields of OpenAPI 3.1 that five JSON operations need, and no others.
const OpenApi = Schema.Struct({
  openapi: Schema.Literal("3.1.0"),
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(
    Schema.String,
    Schema.Struct({ get: Schema.optionalKey(Operation), post: Schema.optionalKey(Operation) })
  ),
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String, ObjectSchema),
    securitySchemes: Schema.Record(
      Schema.String,
      Schema.Struct({ type: Schema.Literal("http"), scheme: Schema.String })
    )
  }),
  security: Schema.Array(Schema.Json),
  tags: Schema.Array(Schema.Struct({ name: Schema.String }))
})

const read = Schema.decodeUnknownSync(OpenApi)

const paths: Readonly<Record<OperationName, string>> = {
  sendSms: "/sms/send",
  getSmsStatus: "/sms/{message_id}",
  getAirtimeStatus: "/v1/airtime/{referencecode}",
  getDataBundleStatus: "/v1/databundle/{referencecode}",
  listDataBundles: "/v1/list-bundles"
}

const operationOf = (name: OperationName) => {
  const item = read(document).paths[paths[name]]
  const operation = contract[name].method === "GET" ? item?.get : item?.post
  if (operation === undefined) throw new Error(`no ${name}`)
  return operation
}

const reference = (content: typeof Content.Type): string => content["application/json"].schema.$ref

describe("the OpenAPI document", () => {
  it("is the checked-in openapi.json that the package exports", async () => {
    await expect(`${JSON.stringify(document, undefined, 2)}\n`).toMatchFileSnapshot(
      createRequire(import.meta.url).resolve("@messaging-topup/core/openapi.json")
    )
  })

  it("has no field that its OpenAPI objects do not have", () => {
    expect(Schema.decodeUnknownSync(OpenApi, { onExcessProperty: "error" })(document)).toEqual(
      document
    )
  })

  it("has the title and version of the description", () => {
    expect(read(document).info).toEqual({
      title: "Messaging and Top-up Service API",
      version: "1.0.0"
    })
  })

  it("has exactly the five operations", () => {
    const { paths: items } = read(document)
    const found = Object.entries(items).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [operationId, method, path])
    )
    expect(found).toEqual(
      operationNames.map((name) => [name, contract[name].method.toLowerCase(), paths[name]])
    )
  })

  it.each(operationNames)("has the statuses, parameters, body and token of %s", (name) => {
    const { errors, successStatus } = contract[name]
    const { parameters, requestBody, responses, security } = operationOf(name)
    expect(Object.keys(responses).map(Number)).toEqual([successStatus, ...errors])
    for (const status of errors) {
      const { content } = { ...responses[status] }
      expect(content && reference(content)).toBe("#/components/schemas/ErrorBody")
    }
    expect(security).toEqual([{ bearer: [] }])
    const documented = [...paths[name].matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    expect(parameters).toMatchObject(
      documented.map((parameter) => ({ name: parameter, in: "path", required: true }))
    )
    expect(requestBody && reference(requestBody.content)).toBe(
      name === "sendSms" ? "#/components/schemas/SendSmsRequest" : undefined
    )
  })

  it("takes the token as a bearer token", () => {
    expect(read(document).components.securitySchemes).toEqual({
      bearer: { type: "http", scheme: "Bearer" }
    })
  })

  it("requires the documented fields of a send request", () => {
    const { SendSmsRequest } = read(document).components.schemas
    expect(SendSmsRequest?.required).toEqual(["recipient", "message"])
    expect(Object.keys(SendSmsRequest?.properties ?? {})).toEqual([
      "recipient",
      "message",
      "sender_id",
      "webhook_url",
      "scheduled_time"
    ])
  })

  it("requires the response fields that the description requires, and those that the operation must return", () => {
    const { SendSmsRequest: _, ...responses } = read(document).components.schemas
    expect(
      Object.fromEntries(Object.entries(responses).map(([name, { required }]) => [name, required]))
    ).toEqual({
      SendSmsResponse: ["success", "status", "message", "data"],
      SendResult: ["recipient", "message_id", "status"],
      GetSmsStatusResponse: ["data"],
      SmsStatusRecord: ["status"],
      GetAirtimeStatusResponse: ["data"],
      AirtimeStatusRecord: ["status"],
      GetDataBundleStatusResponse: ["status"],
      ListDataBundlesResponse: ["category"],
      DataBundle: ["bundle_id"],
      ErrorBody: ["error"]
    })
  })

  it("describes fields only with the words of the description", () => {
    const described = [...values].flatMap(([pointer, value]) =>
      pointer.endsWith("/description") && !pointer.includes("/responses/") ? [String(value)] : []
    )
    expect(new Set(described)).toEqual(
      new Set([
        // §2.1
        "Phone number of the recipient",
        "Text of the message",
        "Custom sender ID, where applicable",
        "URL that receives status updates",
        "Time at which to schedule the message",
        // §2.2
        "Whether the request succeeded",
        "HTTP status code of the request",
        "Text describing the result",
        "One entry per recipient",
        "The recipient's phone number",
        "Unique identifier of the message",
        "Status of the message",
        // §2.7
        "Always false in an error body",
        "Error detail",
        "HTTP status code",
        "Short title of the error",
        "Explanation",
        // §4.2, §4.3
        "The unique identifier of the SMS message",
        "The reference code of the airtime transaction"
      ])
    )
  })

  it("has the documented format for the one number with a format", () => {
    expect(values.get("#/components/schemas/ErrorBody/properties/error/properties/status")).toEqual(
      {
        type: "integer",
        format: "int32",
        description: "HTTP status code"
      }
    )
  })

  it("has no broken references and no unused schemas", () => {
    const references = new Set(named("$ref"))
    const schemas = Object.keys(read(document).components.schemas)
    expect(references).toEqual(new Set(schemas.map((name) => `#/components/schemas/${name}`)))
    for (const pointer of references) expect(values.has(String(pointer))).toBe(true)
  })

  it("forbids no field that the description does not show", () => {
    expect(named("additionalProperties")).toEqual([])
  })

  it("sets no range for numbers", () => {
    expect(named("type").filter((type) => type === "integer")).not.toEqual([])
    expect([...named("minimum"), ...named("maximum")]).toEqual([])
  })
})
