/**
 * The parts of `HttpApi` that the interpreter carries out.
 *
 * The rest throws when the client is defined, so that the contract cannot outgrow the interpreter
 * in silence.
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { BearerAuth } from "../Api.ts"
import * as Predicate from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import type { ReflectedEndpoint } from "./ReflectedEndpoint.ts"
import { propertiesOf } from "./Properties.ts"

/** Where `HttpApiSchema.asText` and its siblings note that a body is not JSON. */
const encodingKey = "~httpApiEncoding"

const isJson = (ast: SchemaAST.AST): boolean => {
  if (HttpApiSchema.isNoContent(ast)) return false
  const encoding = SchemaAST.resolve(ast)?.[encodingKey]
  return encoding === undefined || Predicate.isTagged(encoding, "Json")
}

const problems = function* (reflected: ReflectedEndpoint): Generator<string> {
  const { endpoint, errors, middleware, successes } = reflected
  if (endpoint.headers !== undefined) yield "request headers"
  if (!/^(\/(:\w+|[\w-]+))+$/.test(endpoint.path)) {
    yield "path parameters that are optional, have a pattern or share a segment"
  }
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? [])
  const inSchema = propertiesOf(endpoint.params)
  if (inPath.length !== inSchema.length || !inPath.every((name) => inSchema.includes(name))) {
    yield "path parameters other than its schema"
  }
  for (const each of middleware) {
    if (each.key !== BearerAuth.key) yield `the middleware ${each.key}`
  }
  for (const [contentType, { encoding, schemas }] of endpoint.payload) {
    if (encoding._tag !== "Json" || contentType !== "application/json" || schemas.length > 1) {
      yield `a payload of ${contentType}`
    }
  }
  if (endpoint.payload.size > 1) yield "several payloads"
  if (endpoint.success.size !== 1 || successes.size !== 1)
    yield "anything but one success that is a body"
  for (const [status, schemas] of [...successes, ...errors]) {
    if (schemas.length > 1) yield `several bodies of status ${status}`
    for (const schema of schemas) {
      if (HttpApiSchema.isWithHeaders(schema)) yield `response headers of status ${status}`
      else if (!isJson(schema.ast)) yield `a body of status ${status} that is not JSON`
    }
  }
  for (const status of successes.keys()) {
    if (errors.has(status)) yield `status ${status} as success and as error`
  }
}

export const requireSupported = (reflected: ReflectedEndpoint): void => {
  const [first] = problems(reflected)
  if (first === undefined) return
  throw new Error(
    `The client cannot carry out ${first}, which the endpoint "${reflected.endpoint.identifier}" declares`
  )
}
