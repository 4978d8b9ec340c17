/**
 * An attempt on an `HttpClient` that is not ours, or that a program wrapped.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { readBody } from "./BoundedBody.ts"
import { isConnectFailure } from "./ConnectPhase.ts"
import { noBody, type Received, type Send, type SendFailure } from "./Send.ts"
import { connectionFailure, timeoutFailure, unsendable } from "./SendFailures.ts"
import type { WireRequest } from "./Wire.ts"

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

const toRequest = ({ body, headers, method, origin, path }: WireRequest) => {
  const request = HttpClientRequest.make(method)(origin + path, { headers })
  return body === undefined
    ? request
    : HttpClientRequest.bodyText(request, body, "application/json")
}

/** A client that was told to fail on some statuses still hands over the response. */
const received = (
  error: HttpClientError.HttpClientError
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> =>
  error.reason._tag === "StatusCodeError"
    ? Effect.succeed(error.reason.response)
    : Effect.fail(error)

export const sendOverClient =
  (client: HttpClient.HttpClient): Send =>
  (request, options) =>
    Effect.suspend(() => {
      const { isDocumented, maxBodyBytes, onStart, onStatus, timeoutMillis } = options
      let head: Omit<Received, "body"> | undefined

      /** A documented status needs its body. */
      const endWith = (failure: SendFailure): Effect.Effect<Received, SendFailure> =>
        head === undefined || isDocumented(head.status)
          ? Effect.fail(failure)
          : Effect.succeed({ ...head, body: noBody })

      const failed = ({ reason }: HttpClientError.HttpClientError) => {
        if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") return unsendable()
        const started = head !== undefined || !isConnectFailure(reason.cause)
        return connectionFailure(reason.cause, started, head?.status, options)
      }

      return Effect.suspend(() => {
        onStart()
        return client.execute(toRequest(request))
      }).pipe(
        Effect.catch(received),
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
        Effect.catch((error) => endWith(failed(error))),
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          // A transport that is not ours does not say whether the request started.
          orElse: () => endWith(timeoutFailure(true, head?.status, options))
        }),
        underOurRules
      )
    })
