/**
 * Error responses with the service's error body.
 */
import type { ErrorBody } from "@messaging-topup/core"
import type { Api } from "@messaging-topup/core/api"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Schema from "effect/Schema"

type Operations = typeof Api.groups.messagingTopup.endpoints

/** Each error status that at least one operation documents. */
type DocumentedStatus = Schema.Schema.Type<
  HttpApiEndpoint.Error<Operations[keyof Operations]>
>["status"]

/**
 * The title of each documented error status. The compiler asks for a status that core adds.
 *
 * Source: service description §7
 */
export const documentedTitles: Readonly<Record<DocumentedStatus, string>> = {
  400: "Invalid Request Value",
  401: "Authentication failed",
  402: "Payment Required",
  403: "Insufficient permissions",
  404: "Not found",
  500: "Internal server error"
}

const titles: Readonly<Record<number, string>> = {
  ...documentedTitles,
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  503: "Service Unavailable"
}

/** The title of a 404 of `getSmsStatus`. Source: service description §4.2 */
export const unknownMessageId = "Unknown message id"

const titleOf = (status: number): string => titles[status] ?? "Error"

/** Makes an error body of the service. */
export const errorBody = (
  status: number,
  detail: string,
  title: string = titleOf(status)
): ErrorBody => ({
  success: false,
  // The description shows a placeholder for a 400. With 0, a client that relies on this field
  // fails.
  error: { status: status === 400 ? 0 : status, title, detail }
})

export const errorResponse = (
  status: number,
  body: ErrorBody,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body, { status, headers })

/** Makes an error of the sandbox itself: the same body, with the real status. */
export const controlError = (
  status: number,
  detail: string,
  title: string = titleOf(status)
): HttpServerResponse.HttpServerResponse =>
  errorResponse(status, { success: false, error: { status, title, detail } })

export const noSuchControl = controlError(
  404,
  "There is no such control endpoint: GET /openapi.json lists them"
)
