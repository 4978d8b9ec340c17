/**
 * One request and its response, over whichever transport the layer was given.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { ConnectionFailed } from "../errors/ConnectionFailed.ts"
import { ConnectionLost } from "../errors/ConnectionLost.ts"
import { InvalidInput } from "../errors/InvalidInput.ts"
import { RequestTimedOut } from "../errors/RequestTimedOut.ts"
import { type Body, readBody } from "./BoundedBody.ts"
import { failureCode, isConnectFailure } from "./ConnectPhase.ts"

export interface Response {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: Body
}

export type ExchangeFailure = InvalidInput | ConnectionFailed | ConnectionLost | RequestTimedOut

export interface ExchangeOptions {
  readonly client: HttpClient.HttpClient
  readonly timeout: Duration.Duration
  readonly maxBodyBytes: number
  readonly isDocumented: (status: number) => boolean
  /** Called when the head of the response came, whatever becomes of its body. */
  readonly onStatus: (status: number) => void
}

const always = () => true

/**
 * What holds for every request, whatever the program around it sets.
 *
 * The transport's own span would carry ids in its URL and send trace headers to a third party, and
 * a redirect that is followed turns a POST into a GET or sends it twice.
 */
const underOurRules = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    context.pipe(
      Context.add(HttpClient.TracerDisabledWhen, always),
      Context.add(FetchHttpClient.RequestInit, {
        ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
        redirect: "manual"
      })
    )
  )

/** A client that was told to fail on some statuses still hands over the response. */
const responded = (
  error: HttpClientError.HttpClientError
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  error.reason._tag === "StatusCodeError"
    ? Effect.succeed(error.reason.response)
    : Effect.fail(error)

const lost = (code: string | undefined, status: number | undefined) =>
  new ConnectionLost({
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status })
  })

const failureOf = (
  { reason }: HttpClientError.HttpClientError,
  status: number | undefined
): ExchangeFailure => {
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") {
    return new InvalidInput({ field: "request", problem: "the transport cannot send it" })
  }
  const code = failureCode(reason.cause)
  return status === undefined && isConnectFailure(reason.cause)
    ? new ConnectionFailed(code === undefined ? {} : { code })
    : lost(code, status)
}

const nothing: Body = { bytes: new Uint8Array(0), truncated: false }

/**
 * An undocumented status says what it says without its body: losing that body changes nothing.
 */
export const exchange = (
  request: HttpClientRequest.HttpClientRequest,
  { client, isDocumented, maxBodyBytes, onStatus, timeout }: ExchangeOptions
): Effect.Effect<Response, ExchangeFailure> =>
  Effect.suspend(() => {
    let head: Omit<Response, "body"> | undefined
    const giveUp = (failure: ExchangeFailure): Effect.Effect<Response, ExchangeFailure> =>
      head === undefined || isDocumented(head.status)
        ? Effect.fail(failure)
        : Effect.succeed({ ...head, body: nothing })
    return Effect.suspend(() => client.execute(request)).pipe(
      Effect.catch(responded),
      Effect.flatMap((response) => {
        // A getter that converts every header anew.
        const { headers, status } = response
        const current = { status, retryAfter: headers["retry-after"] }
        head = current
        onStatus(status)
        return Effect.map(
          readBody(response, Number(headers["content-length"]), maxBodyBytes),
          (body) => ({ ...current, body })
        )
      }),
      Effect.catch((error) => giveUp(failureOf(error, head?.status))),
      // A transport that dies holds the token in what it dies with, and may have sent.
      Effect.catchDefect(() => giveUp(lost(undefined, head?.status))),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          giveUp(
            new RequestTimedOut({
              timeoutMillis: Duration.toMillis(timeout),
              ...(head === undefined ? {} : { status: head.status })
            })
          )
      }),
      underOurRules
    )
  })
