/**
 * Decides which requests may use the control endpoints and the page.
 *
 * On loopback, every program on this machine may, without a token. Beyond loopback, the token is
 * required. Web pages of other origins are refused everywhere: a browser attaches a token of its
 * own accord, once a person has entered it.
 */
import { isLoopbackHost } from "@messaging-topup/core/internal"
import * as Redacted from "effect/Redacted"
import type { Incoming } from "./Body.ts"

interface Refusal {
  readonly status: 401 | 403 | 415
  readonly detail: string
}

type Headers = Incoming["headers"]

/** DNS rebinding: a page whose host name resolves to this machine sends that name. */
const foreignHost = ({ host = "" }: Headers): Refusal | undefined =>
  isLoopbackHost(host.toLowerCase().replace(/:\d+$/, ""))
    ? undefined
    : { status: 403, detail: "Host: use this machine's name: localhost or 127.0.0.1" }

/** With `Basic`, the token is the password, so that a browser can ask a person for it. */
const tokenOf = (authorization: string): string | undefined => {
  const [, scheme = "", given = ""] = /^(bearer|basic) +(.*)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() !== "basic") return given
  return Buffer.from(given, "base64").toString().split(":").slice(1).join(":")
}

const wrongToken = (
  { authorization = "" }: Headers,
  token: Redacted.Redacted
): Refusal | undefined =>
  tokenOf(authorization) === Redacted.value(token)
    ? undefined
    : {
        status: 401,
        detail: "Authorization: beyond loopback, give the token of the sandbox as bearer token"
      }

/** A person may follow a link from another site to the page. */
const isFollowedLink = ({ headers, method }: Incoming): boolean =>
  method === "GET" &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document"

const foreignPage = (incoming: Incoming, isPage: boolean): Refusal | undefined => {
  const { host, origin, "sec-fetch-site": site = "none" } = incoming.headers
  const isOwn =
    (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) &&
    (site === "none" || site === "same-origin")
  return isOwn || (isPage && isFollowedLink(incoming))
    ? undefined
    : { status: 403, detail: "Origin: web pages of other origins are not accepted" }
}

/** For other content types, a browser lets pages of other origins send without a preflight. */
const otherType = ({ body, headers }: Incoming): Refusal | undefined =>
  body.isEmpty || /^application\/json *(;|$)/i.test(headers["content-type"] ?? "")
    ? undefined
    : { status: 415, detail: "content-type: send the body as application/json" }

/**
 * Returns why a request is refused, or `undefined` if it is not. `token` is `undefined` if only this
 * machine can reach the sandbox. `isPage` tells a request for the page.
 */
export const refusal = (
  token: Redacted.Redacted | undefined,
  incoming: Incoming,
  isPage: boolean
): Refusal | undefined =>
  (token === undefined ? foreignHost(incoming.headers) : wrongToken(incoming.headers, token)) ??
  foreignPage(incoming, isPage) ??
  otherType(incoming)
