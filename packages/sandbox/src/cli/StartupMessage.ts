/**
 * The message that the command prints when it starts.
 */
import * as Redacted from "effect/Redacted"
import { forcedOutcomes } from "../service/ForcedOutcomes.ts"
import { isLoopback } from "../http/Loopback.ts"
import * as Seeds from "../service/Seeds.ts"

export interface Address {
  readonly baseUrl: string
  readonly token: Redacted.Redacted
}

export const json = ({ baseUrl, token }: Address): string =>
  JSON.stringify({ baseUrl, token: Redacted.value(token) })

const outcomeLines = forcedOutcomes.map(
  ({ accepted, response, suffix }) =>
    `  ${suffix}    ${accepted ? "yes" : "no "}           ${response}`
)

/** On loopback, the inbox needs no token. Beyond loopback, the link contains it. */
const inboxLine = (baseUrl: string, token: string, needsToken: boolean): string =>
  needsToken ? `${baseUrl}/#token=${encodeURIComponent(token)}` : `${baseUrl}/`

export const text = ({ baseUrl, token }: Address, host: string): string => `\
A sandbox of the Messaging and Top-up Service. Nothing is ever sent.

  Address  ${baseUrl}
  Inbox    ${inboxLine(baseUrl, Redacted.value(token), !isLoopback(host))}
  Token    ${Redacted.value(token)}

Settings for a client:

  export MESSAGING_TOPUP_BASE_URL=${baseUrl}
  export MESSAGING_TOPUP_TOKEN=${Redacted.value(token)}

Sample records:

  GET /v1/airtime/{referencecode}     ${[...Seeds.airtime.keys()].join(", ")}
  GET /v1/databundle/{referencecode}  ${[...Seeds.dataBundles.keys()].join(", ")}
  GET /v1/list-bundles                ${Seeds.bundles.length} bundles

Forced outcomes, by the end of a number +1555…, a message id or a reference code:

  Suffix  SMS accepted  Response
${outcomeLines.join("\n")}

Stop with Ctrl+C.`

export const warning = (host: string): string | undefined =>
  isLoopback(host)
    ? undefined
    : `Warning: ${host} is reachable from other machines over plain http. Use it only in a network you trust.`
