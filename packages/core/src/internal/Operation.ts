/**
 * One endpoint of the contract, compiled: how its request is written and its responses are read.
 */
import { identity } from "effect/Function"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { InvalidInput } from "../errors/InvalidInput.ts"
import { inputFields, inputRecord } from "./InputFields.ts"
import { firstProblem, type Problem } from "./SchemaProblem.ts"
import { propertiesOf } from "./Properties.ts"
import type { ReflectedEndpoint } from "./ReflectedEndpoint.ts"
import { requireSupported } from "./Supported.ts"

export interface OperationInput {
  readonly params?: unknown
  readonly query?: unknown
  readonly payload?: unknown
}

/** The path with its query, below the base URL, and the body as JSON text. */
export interface EncodedRequest {
  readonly path: string
  readonly body: string | undefined
}

/** A documented response: what it says, as success or as error; or what keeps it from being read. */
type Reading = Result.Result<Result.Result<unknown, unknown>, Problem>

interface DocumentedResponse {
  readonly isError: boolean
  readonly read: (json: unknown) => Reading
}

export interface Operation {
  readonly name: string
  readonly method: HttpMethod
  /** The path as the description writes it: `/sms/{message_id}`. */
  readonly route: string
  readonly encode: (input: OperationInput) => Result.Result<EncodedRequest, InvalidInput>
  /** By HTTP status. No entry: the status is not documented. */
  readonly responses: ReadonlyMap<number, DocumentedResponse>
}

/**
 * Reflection widens every schema to one with any services. Those of the contract need none, which
 * `Client` proves at the type that it derives from the contract.
 */
const withoutServices = (schema: Schema.Top): Schema.Codec<unknown> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  schema as Schema.Codec<unknown>

const encoder = (schema: Schema.Top, whole: string) => {
  // A misspelt field must not be left out in silence.
  const encode = SchemaParser.encodeUnknownResult(withoutServices(schema), {
    onExcessProperty: "error"
  })
  return (value: unknown): Result.Result<unknown, InvalidInput> =>
    Result.mapError(encode(value), (issue) => {
      const { path, problem } = firstProblem(issue)
      return new InvalidInput({ field: path === "" ? whole : path, problem })
    })
}

const parameter = /:(\w+)/g

const pathEncoder = ({ endpoint }: ReflectedEndpoint) => {
  const { params, path } = endpoint
  if (params === undefined) return () => Result.succeed(path)
  const encode = encoder(params, "path")
  return (input: OperationInput): Result.Result<string, InvalidInput> =>
    Result.map(encode(input.params), (values) =>
      path.replace(parameter, (_, name: string) =>
        encodeURIComponent(String(Predicate.hasProperty(values, name) ? values[name] : ""))
      )
    )
}

const pair = (name: string, value: unknown): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`

const queryEncoder = ({ endpoint }: ReflectedEndpoint) => {
  if (endpoint.query === undefined) return () => Result.succeed("")
  const encode = encoder(endpoint.query, "query")
  return (input: OperationInput): Result.Result<string, InvalidInput> =>
    Result.flatMap(encode(inputRecord(input.query)), (values) =>
      Result.try({
        try: () =>
          Object.entries(Object(values))
            .flatMap(([name, value]) =>
              Array.isArray(value) ? value.map((each) => pair(name, each)) : [pair(name, value)]
            )
            .join("&"),
        catch: () =>
          new InvalidInput({ field: "query", problem: "Expected text without lone surrogates" })
      })
    )
}

const bodyEncoder = ({ endpoint }: ReflectedEndpoint) => {
  const payload = endpoint.payload.get("application/json")?.schemas[0]
  if (payload === undefined) return () => Result.succeed(undefined)
  const encode = encoder(payload, "request")
  const names = propertiesOf(payload)
  return (input: OperationInput): Result.Result<string, InvalidInput> =>
    Result.map(encode(inputFields(input.payload, names)), (json) => JSON.stringify(json))
}

const requestEncoder = (reflected: ReflectedEndpoint): Operation["encode"] => {
  const encodePath = pathEncoder(reflected)
  const encodeQuery = queryEncoder(reflected)
  const encodeBody = bodyEncoder(reflected)
  const encode = (input: OperationInput): Result.Result<EncodedRequest, InvalidInput> => {
    const path = encodePath(input)
    if (Result.isFailure(path)) return Result.fail(path.failure)
    const query = encodeQuery(input)
    if (Result.isFailure(query)) return Result.fail(query.failure)
    return Result.map(encodeBody(input), (body) => ({
      path: query.success === "" ? path.success : `${path.success}?${query.success}`,
      body
    }))
  }
  return (input) =>
    Result.flatMap(
      Result.try({
        try: () => encode(input),
        // A getter or a proxy of the caller's throws what it likes.
        catch: () =>
          new InvalidInput({ field: "request", problem: "Expected values that can be read" })
      }),
      identity
    )
}

const documented = (schema: Schema.Top, isError: boolean): DocumentedResponse => {
  const decode = SchemaParser.decodeUnknownResult(withoutServices(schema))
  const toResponse = (value: unknown): Result.Result<unknown, unknown> =>
    isError ? Result.fail(value) : Result.succeed(value)
  return {
    isError,
    read: (json) => Result.mapBoth(decode(json), { onSuccess: toResponse, onFailure: firstProblem })
  }
}

export const compile = (reflected: ReflectedEndpoint): Operation => {
  requireSupported(reflected)
  const { endpoint, errors, successes } = reflected
  const responses = new Map<number, DocumentedResponse>()
  for (const [status, [schema]] of successes) responses.set(status, documented(schema, false))
  for (const [status, [schema]] of errors) responses.set(status, documented(schema, true))
  return {
    name: endpoint.identifier,
    method: endpoint.method,
    route: endpoint.path.replace(parameter, "{$1}"),
    encode: requestEncoder(reflected),
    responses
  }
}
