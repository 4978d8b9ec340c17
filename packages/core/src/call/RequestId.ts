/**
 * The response header that identifies a request for the support of a service.
 */
import type { ResponseHeaders } from "./WireRequest.ts"

/** The service documents none. These are in common use, of services first, then of gateways. */
const names = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"]

/** An error shows it, so it must look like an id. */
const shape = /^[\w.:+/=@-]{1,128}$/

/** Returns the field of an error. An id that repeats what `redact` removes is none. */
export const requestIdIn = (
  headers: ResponseHeaders,
  redact: (text: string) => string
): { readonly requestId?: string } => {
  const requestId = names
    .map((name) => headers.get(name) ?? "")
    .find((id) => shape.test(id) && redact(id) === id)
  return requestId === undefined ? {} : { requestId }
}
