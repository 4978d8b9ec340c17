/**
 * The service's error body, and responses that are made of it.
 */
import type { ErrorBody } from "@messaging-topup/core"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The documented titles; 429 and 413 are ours. Source: service description §7 */
const titles: Readonly<Record<number, string>> = {
  400: "Invalid Request Value",
  401: "Authentication failed",
  402: "Payment Required",
  403: "Insufficient permissions",
  404: "Not found",
  413: "Content Too Large",
  429: "Too Many Requests",
  500: "Internal server error"
}

/** The title of a 404 of `getSmsStatus`. Source: service description §4.2 */
export const unknownMessageId = "Unknown message id"

export const errorBody = (
  status: number,
  detail: string,
  title: string = titles[status] ?? "Error"
): ErrorBody => ({
  success: false,
  // The description shows a placeholder in a 400, so that a client that trusts it shows up.
  error: { status: status === 400 ? 0 : status, title, detail }
})

export const errorResponse = (
  status: number,
  body: ErrorBody,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(body, { status, headers })
