/**
 * Decides which requests may use the control endpoints.
 *
 * On loopback, every program on this machine may, without a token. Only web pages of other origins,
 * in a browser on this machine, are rejected. Beyond loopback, the token is required.
 */
import * as Redacted from "effect/Redacted"
import type { Incoming } from "../http/Incoming.ts"
import { isLoopbackHeader } from "../http/Loopback.ts"

interface Refusal {
  readonly status: 401 | 403 | 415
  readonly detail: string
}

type Headers = Incoming["headers"]

/** DNS rebinding: a page whose host name resolves to this machine sends that name. */
const foreignHost = ({ host = "" }: Headers): Refusal | undefined =>
  isLoopbackHeader(host)
    ? undefined
    : {
        status: 403,
        detail:
          "Host: the control endpoints only accept this machine's name; use localhost or 127.0.0.1"
      }

const foreignPage = ({
  host,
  origin,
  "sec-fetch-site": site = "none"
}: Headers): Refusal | undefined =>
  (origin === undefined || origin === `http://${host}`) &&
  (site === "none" || site === "same-origin")
    ? undefined
    : {
        status: 403,
        detail: "Origin: the control endpoints do not accept web pages of other origins"
      }

const wrongToken = (
  { authorization = "" }: Headers,
  token: Redacted.Redacted
): Refusal | undefined =>
  /^bearer +(.*)$/i.exec(authorization)?.[1] === Redacted.value(token)
    ? undefined
    : {
        status: 401,
        detail:
          "Authorization: beyond loopback the control endpoints need the bearer token of the sandbox"
      }

/** For other content types, a browser lets pages of other origins send without a preflight. */
const otherType = ({ body, headers }: Incoming): Refusal | undefined =>
  body.isEmpty || /^application\/json *(;|$)/i.test(headers["content-type"] ?? "")
    ? undefined
    : { status: 415, detail: "content-type: send the body as application/json" }

/**
 * Returns why a request is refused, or `undefined` if it is not. `token` is `undefined` if only this
 * machine can reach the sandbox.
 */
export const refusal = (
  token: Redacted.Redacted | undefined,
  incoming: Incoming
): Refusal | undefined => {
  const { headers } = incoming
  const caller =
    token === undefined
      ? (foreignHost(headers) ?? foreignPage(headers))
      : wrongToken(headers, token)
  return caller ?? otherType(incoming)
}
