/**
 * Who may use the control endpoints.
 *
 * On loopback everybody on this machine may, without a token: what has to be kept out is a web page of
 * somebody else that runs in a browser on this machine. Beyond loopback the token is needed.
 */
import * as Redacted from "effect/Redacted"
import type { Incoming } from "../internal/Incoming.ts"
import { isLoopbackHeader } from "../internal/Loopback.ts"

/**
 * - `Program`: no socket; only this program can ask.
 * - `Loopback`: programs and browsers of this machine can.
 * - `Network`: other machines can.
 */
export type Exposure = "Program" | "Loopback" | "Network"

export interface Refusal {
  readonly status: 401 | 403 | 415
  readonly detail: string
}

type Headers = Incoming["headers"]

/** A page that has bound its own name to this machine sends that name. */
const foreignHost = ({ host = "" }: Headers): Refusal | undefined =>
  isLoopbackHeader(host)
    ? undefined
    : {
        status: 403,
        detail: "Host: the control endpoints are for this machine; use localhost or 127.0.0.1"
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
        detail: "Origin: the control endpoints are not for web pages of other origins"
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

/** A page of another origin can send any other type without being asked. */
const otherType = ({ body, headers }: Incoming): Refusal | undefined =>
  body.isEmpty || /^application\/json *(;|$)/i.test(headers["content-type"] ?? "")
    ? undefined
    : { status: 415, detail: "content-type: send the body as application/json" }

/** Why a request is refused; `undefined` where it is not. */
export const refusal = (
  exposure: Exposure,
  token: Redacted.Redacted,
  incoming: Incoming
): Refusal | undefined => {
  const { headers } = incoming
  switch (exposure) {
    case "Program":
      return otherType(incoming)
    case "Loopback":
      return foreignHost(headers) ?? foreignPage(headers) ?? otherType(incoming)
    case "Network":
      return wrongToken(headers, token) ?? otherType(incoming)
  }
}
