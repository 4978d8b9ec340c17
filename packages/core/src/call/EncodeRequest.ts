/** Encodes the request of an endpoint. */
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import { InvalidInput } from "../errors/ClientFailures.ts"
import { illFormed, unreadable } from "../errors/Failure.ts"
import type { Endpoint } from "../operations/Endpoints.ts"
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

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Rejects a Map or URLSearchParams, which has no own fields and would read as an empty object. */
const inputObject = (value: unknown): object | undefined =>
  Predicate.isObject(value) && isPlain(value) ? withoutUndefined(value) : undefined

type Encoded<A> = Result.Result<A, InvalidInput>

const encoder = (schema: Schema.Codec<unknown, unknown>, whole: string, operation: string) => {
  const encode = SchemaParser.encodeUnknownResult(schema)
  return (value: unknown, options?: SchemaAST.ParseOptions): Encoded<unknown> =>
    Result.mapError(encode(value, options), (issue) => {
      const { path, problem } = firstProblem(issue)
      return new InvalidInput({ field: path === "" ? whole : path, problem, operation })
    })
}

const paramsEncoder = ({ name: operation, params, path }: Endpoint) => {
  const fixed: Encoded<string> = Result.succeed(path)
  if (params === undefined) return () => fixed
  const encode = encoder(params, "path", operation)
  // The names of the parameters are at the odd places.
  const parts = path.split(/\{(\w+)\}/)
  return (input: OperationInput): Encoded<string> =>
    Result.map(encode(input.params), (values) =>
      parts
        .map((part, place) =>
          place % 2 === 0 ? part : encodeURIComponent(String(Reflect.get(Object(values), part)))
        )
        .join("")
    )
}

const pair = (name: string, value: unknown): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`

/** Encodes the path with its parameters and its query. */
const pathEncoder = (endpoint: Endpoint) => {
  const { name: operation, query } = endpoint
  const encodeParams = paramsEncoder(endpoint)
  if (query === undefined) return encodeParams
  const encode = encoder(query, "query", operation)

  const withQuery = (path: string, values: unknown): Encoded<string> =>
    Result.try({
      try: () => {
        const pairs = Object.entries(Object(values)).flatMap(([name, value]) =>
          [value].flat().map((each) => pair(name, each))
        )
        return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
      },
      catch: () => new InvalidInput({ field: "query", problem: illFormed, operation })
    })

  return (input: OperationInput): Encoded<string> =>
    Result.flatMap(encodeParams(input), (path) =>
      Result.flatMap(encode(inputObject(input.query)), (values) => withQuery(path, values))
    )
}

const noBody: Encoded<string | undefined> = Result.succeed(undefined)

const bodyEncoder = ({ name: operation, payload }: Endpoint) => {
  if (payload === undefined) return () => noBody
  const names = Object.keys(payload.fields)
  const encode = encoder(payload, "request", operation)

  /** Reads the documented fields, also those that are getters of a class. */
  const encodeFields = (value: unknown): Encoded<unknown> => {
    if (!Predicate.isObject(value)) return encode(value)
    const fields: Record<string, unknown> = {}
    for (const name of names) {
      const field: unknown = value[name]
      if (field !== undefined) fields[name] = field
    }
    const others = Object.keys(value).filter(
      (name) => !names.includes(name) && value[name] !== undefined
    )
    // A misspelled field must be an error, not dropped silently.
    return others.length === 0
      ? encode(fields)
      : encode(
          { ...fields, ...Object.fromEntries(others.map((name) => [name, value[name]])) },
          { onExcessProperty: "error" }
        )
  }

  return (input: OperationInput): Encoded<string | undefined> =>
    Result.flatMap(encodeFields(input.payload), (json) => {
      const fields: object = Object(json)
      const broken = Object.keys(fields).find((name) => {
        const field: unknown = Reflect.get(fields, name)
        return Predicate.isString(field) && !field.isWellFormed()
      })
      return broken === undefined
        ? Result.succeed(JSON.stringify(json))
        : Result.fail(new InvalidInput({ field: broken, problem: illFormed, operation }))
    })
}

/** Returns a function that encodes an input as a request. */
export const requestEncoder = (endpoint: Endpoint) => {
  const encodePath = pathEncoder(endpoint)
  const encodeBody = bodyEncoder(endpoint)
  // Without a function for each step: every call would make them.
  const encode = (input: OperationInput): Encoded<EncodedRequest> => {
    const path = encodePath(input)
    if (Result.isFailure(path)) return Result.fail(path.failure)
    const body = encodeBody(input)
    return Result.isFailure(body)
      ? Result.fail(body.failure)
      : Result.succeed({ path: path.success, body: body.success })
  }
  const { name: operation } = endpoint
  return (input: OperationInput): Encoded<EncodedRequest> =>
    Result.flatMap(
      Result.try({
        try: () => encode(input),
        catch: () => new InvalidInput({ field: "request", problem: unreadable, operation })
      }),
      identity
    )
}
