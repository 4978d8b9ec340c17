/**
 * Carries out a contract: from its declaration to one method an endpoint.
 *
 * Effect's own derived client has failures that its types do not tell of (an undocumented status, a
 * documented one with another body), so responses are read here, by their HTTP status.
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Tracer from "effect/Tracer"
import type { ClientFailure } from "../errors/ClientFailure.ts"
import { type Response, exchange } from "./Exchange.ts"
import { compile, type EncodedRequest, type Operation, type OperationInput } from "./Operation.ts"
import { type Attempted, policyFor, withRetries } from "./Retry.ts"
import { parseRetryAfter } from "./RetryAfter.ts"
import { tokenRedaction } from "./TokenRedaction.ts"
import { observer } from "./Telemetry.ts"
import { decodeResponse } from "./DecodeResponse.ts"

export interface InterpreterOptions {
  readonly client: HttpClient.HttpClient
  readonly baseUrl: URL
  readonly token: Redacted.Redacted
  readonly timeout: Duration.Duration
  readonly readRetries: number
  readonly maxBodyBytes: number
}

type Part<Name extends string, Schema extends { readonly Type: unknown }> = [Schema] extends [never]
  ? unknown
  : { readonly [K in Name]: Schema["Type"] }

type Input<E extends HttpApiEndpoint.ConstraintRequest> = Part<"params", E["~Params"]> &
  Part<"query", E["~Query"]> &
  Part<"payload", E["~Payload"]>

/** One method an endpoint: its documented errors, the shared client failures, no services. */
export type Client<E extends HttpApiEndpoint.ConstraintRequest> = {
  readonly [K in E["identifier"]]: Extract<E, { readonly identifier: K }> extends infer Each extends
    HttpApiEndpoint.ConstraintRequest
    ? (
        input: Input<Each>
      ) => Effect.Effect<
        Each["~Success"]["Type"],
        Each["~Error"]["Type"] | ClientFailure,
        Each["~Success"]["DecodingServices"] | Each["~Error"]["DecodingServices"]
      >
    : never
}

const method = (operation: Operation, options: InterpreterOptions) => {
  const { baseUrl, client, maxBodyBytes, readRetries, timeout, token } = options
  const secret = Redacted.value(token)
  const base = baseUrl.href.replace(/\/$/, "")
  const headers = { authorization: `Bearer ${secret}`, accept: "application/json" }
  const observe = observer(operation, baseUrl)
  const policy = policyFor(operation.method === "GET", readRetries)
  const redact = tokenRedaction(secret)
  const isDocumented = (status: number) => operation.responses.has(status)

  const toRequest = ({ body, path }: EncodedRequest) => {
    const request = HttpClientRequest.make(operation.method)(base + path, { headers })
    return body === undefined
      ? request
      : HttpClientRequest.bodyText(request, body, "application/json")
  }

  const read = (response: Response, now: number): Effect.Effect<unknown, Attempted> => {
    const retryAfterSeconds = parseRetryAfter(response.retryAfter, now)
    const result = decodeResponse(operation, response, retryAfterSeconds, redact)
    return Result.isSuccess(result)
      ? Effect.succeed(result.success)
      : Effect.fail({ error: result.failure, retryAfterSeconds })
  }

  const attempt = (
    request: HttpClientRequest.HttpClientRequest,
    span: Tracer.Span,
    retry: number
  ): Effect.Effect<unknown, Attempted> => {
    if (retry > 0) span.attribute("http.request.resend_count", retry)
    const onStatus = (status: number) => span.attribute("http.response.status_code", status)
    return exchange(request, { client, isDocumented, maxBodyBytes, onStatus, timeout }).pipe(
      Effect.mapError((error) => ({ error, retryAfterSeconds: undefined })),
      Effect.flatMap((response) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => read(response, now))
      )
    )
  }

  return (input: OperationInput): Effect.Effect<unknown, unknown> =>
    observe((span) => {
      const encoded = operation.encode(input)
      if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
      const request = toRequest(encoded.success)
      return withRetries(policy, (retry) => attempt(request, span, retry))
    })
}

export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options: InterpreterOptions
): Client<Extract<HttpApiGroup.Endpoints<Groups>, HttpApiEndpoint.ConstraintRequest>> => {
  const methods: Record<string, (input: OperationInput) => Effect.Effect<unknown, unknown>> = {}
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: (reflected) => {
      const operation = compile(reflected)
      methods[operation.name] = method(operation, options)
    }
  })
  // What reflection forgets, the contract's type still knows: the schemas that read a response are
  // the ones whose types stand in Client.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return methods as object as Client<
    Extract<HttpApiGroup.Endpoints<Groups>, HttpApiEndpoint.ConstraintRequest>
  >
}
