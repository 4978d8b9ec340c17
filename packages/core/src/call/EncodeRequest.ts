/**
 * Encodes the request of an endpoint.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { InvalidInput } from "../errors/ClientFailures.ts"
import type { Endpoint } from "../operations/Endpoint.ts"
import { firstProblem } from "./SchemaProblem.ts"

export interface OperationInput {
  readonly params?: unknown
  readonly query?: unknown
  readonly payload?: unknown
}

/** The path with its query, relative to the base URL, and the body as JSON text. */
interface EncodedRequest {
  readonly path: string
  readonly body: string | undefined
}

/** JSON has no `undefined`. */
const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined))

/**
 * Returns the named fields, also from getters of a class, and all other own fields of the object,
 * so that a misspelt field is reported.
 */
const inputFields = (value: unknown, names: ReadonlyArray<string>): unknown =>
  Predicate.isObject(value)
    ? withoutUndefined({
        ...value,
        ...Object.fromEntries(names.map((name) => [name, value[name]]))
      })
    : value

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Rejects a Map or URLSearchParams, which has no own fields and would read as an empty record. */
const inputRecord = (value: unknown): object | undefined =>
  Predicate.isObject(value) && isPlain(value) ? withoutUndefined(value) : undefined

type Encoded<A> = Result.Result<A, InvalidInput>

const encoder = (schema: Schema.Codec<unknown, unknown>, whole: string, operation: string) => {
  // A misspelt field must be an error, not dropped silently.
  const encode = SchemaParser.encodeUnknownResult(schema, { onExcessProperty: "error" })
  return (value: unknown): Encoded<unknown> =>
    Result.mapError(encode(value), (issue) => {
      const { path, problem } = firstProblem(issue)
      return new InvalidInput({ field: path === "" ? whole : path, problem, operation })
    })
}

const parameter = /\{(\w+)\}/g

const pathEncoder = ({ name: operation, params, path }: Endpoint) => {
  if (params === undefined) return (): Encoded<string> => Result.succeed(path)
  const encode = encoder(params, "path", operation)
  return (input: OperationInput): Encoded<string> =>
    Result.map(encode(input.params), (values) =>
      path.replace(parameter, (_, name: string) =>
        encodeURIComponent(String(Predicate.hasProperty(values, name) ? values[name] : ""))
      )
    )
}

const pair = (name: string, value: unknown): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`

const queryEncoder = ({ name: operation, query }: Endpoint) => {
  if (query === undefined) return (): Encoded<string> => Result.succeed("")
  const encode = encoder(query, "query", operation)
  return (input: OperationInput): Encoded<string> =>
    Result.flatMap(encode(inputRecord(input.query)), (values) =>
      Result.try({
        try: () =>
          Object.entries(Object(values))
            .flatMap(([name, value]) =>
              Array.isArray(value) ? value.map((each) => pair(name, each)) : [pair(name, value)]
            )
            .join("&"),
        catch: () =>
          new InvalidInput({
            field: "query",
            problem: "Expected text without lone surrogates",
            operation
          })
      })
    )
}

const bodyEncoder = ({ name: operation, payload }: Endpoint) => {
  if (payload === undefined) return (): Encoded<string | undefined> => Result.succeed(undefined)
  const encode = encoder(payload, "request", operation)
  const names = Object.keys(payload.fields)
  return (input: OperationInput): Encoded<string | undefined> =>
    Result.map(encode(inputFields(input.payload, names)), (json) => JSON.stringify(json))
}

/** Returns a function that encodes an input as a request. */
export const requestEncoder = (endpoint: Endpoint) => {
  const encodePath = pathEncoder(endpoint)
  const encodeQuery = queryEncoder(endpoint)
  const encodeBody = bodyEncoder(endpoint)
  const encode = (input: OperationInput): Encoded<EncodedRequest> => {
    const path = encodePath(input)
    if (Result.isFailure(path)) return Result.fail(path.failure)
    const query = encodeQuery(input)
    if (Result.isFailure(query)) return Result.fail(query.failure)
    return Result.map(encodeBody(input), (body) => ({
      path: query.success === "" ? path.success : `${path.success}?${query.success}`,
      body
    }))
  }
  return (input: OperationInput): Encoded<EncodedRequest> =>
    Result.flatMap(
      Result.try({
        try: () => encode(input),
        // A getter or a proxy of the caller can throw.
        catch: () =>
          new InvalidInput({
            field: "request",
            problem: "Expected values that can be read",
            operation: endpoint.name
          })
      }),
      (encoded) => encoded
    )
}
