/** Error responses with the service's error body. */
import { documentedErrors, type Schemas } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { limit } from "./Body.ts"
import { Handling } from "./Handling.ts"

/** The title of each documented error status. */
export const documentedTitles: Readonly<Record<number, string>> = Object.fromEntries(
  Object.values(documentedErrors).map(({ status, title }) => [status, title])
)

const titles: Readonly<Record<number, string>> = {
  ...documentedTitles,
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  503: "Service Unavailable"
}

/** The title of a 404 of `getSmsStatus`. */
export const unknownMessageId = documentedErrors.NotFound.titles?.["getSmsStatus"]

/** The detail of a 413. */
export const bodyTooLarge = `The body is larger than ${limit / 1024} KiB`

/** Makes an error body of the service. */
export const errorBody = (
  status: number,
  detail: string,
  title: string = titles[status] ?? "Error"
): typeof Schemas.ErrorBody.Type => ({ success: false, error: { status, title, detail } })

/** Responds with an error, and keeps why. */
export const refuse = (status: number, detail: string, title?: string) =>
  Effect.map(Handling, ({ keep }) => {
    keep({ refusal: detail })
    return HttpServerResponse.jsonUnsafe(errorBody(status, detail, title), { status })
  })

export const noSuchControl = refuse(
  404,
  "There is no such control endpoint: GET /openapi.json lists them"
)
