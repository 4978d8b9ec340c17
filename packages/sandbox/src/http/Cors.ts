/**
 * Lets a page of any origin call the sandbox and read its responses.
 */

export const isPreflight = (method: string, headers: Readonly<Record<string, string>>): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined

export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST",
      // A wildcard would not cover Authorization.
      "access-control-allow-headers": "Authorization, Content-Type"
    }
  })

/** Changes the given response. */
export const allowReading = (response: Response): Response => {
  response.headers.set("access-control-allow-origin", "*")
  response.headers.set("access-control-expose-headers", "Retry-After")
  return response
}
