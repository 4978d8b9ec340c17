/**
 * What the command prints.
 */
import * as Redacted from "effect/Redacted"
import { forcedOutcomes } from "../ForcedOutcomes.ts"
import type { Sandbox } from "../Sandbox.ts"
import { isLoopback } from "./Loopback.ts"
import * as Seeds from "./Seeds.ts"

export type Address = Pick<Sandbox["Service"], "baseUrl" | "token">

export const json = ({ baseUrl, token }: Address): string =>
  JSON.stringify({ baseUrl, token: Redacted.value(token) })

const outcomeLines = forcedOutcomes.map(
  ({ accepted, response, suffix }) =>
    `  ${suffix}    ${accepted ? "yes" : "no "}           ${response}`
)

/** Other machines need the token for the inbox; on this one nobody does. */
const inboxLine = (baseUrl: string, token: string, isOpen: boolean): string =>
  isOpen ? `${baseUrl}/#token=${encodeURIComponent(token)}` : `${baseUrl}/`

/** `elsewhere` is where other machines find it, if they do. */
export const text = (
  { baseUrl, token }: Address,
  host: string,
  elsewhere: string | undefined
): string => `\
A sandbox of the Messaging and Top-up Service. Nothing is ever sent.

  Address  ${baseUrl}${elsewhere === undefined ? "" : `\n           ${elsewhere} from other machines`}
  Inbox    ${inboxLine(elsewhere ?? baseUrl, Redacted.value(token), !isLoopback(host))}
  Token    ${Redacted.value(token)}

Settings for a client:

  export MESSAGING_TOPUP_BASE_URL=${baseUrl}
  export MESSAGING_TOPUP_TOKEN=${Redacted.value(token)}

There from the start:

  GET /v1/airtime/{referencecode}     ${[...Seeds.airtime.keys()].join(", ")}
  GET /v1/databundle/{referencecode}  ${[...Seeds.dataBundles.keys()].join(", ")}
  GET /v1/list-bundles                ${Seeds.bundles.length} bundles

Forced outcomes, by the end of a recipient, a message id or a reference code:

  Suffix  SMS accepted  Response
${outcomeLines.join("\n")}

Stop with Ctrl+C.`

export const warning = (host: string): string | undefined =>
  isLoopback(host)
    ? undefined
    : `Warning: ${host} can be reached from other machines, over plain http. Use it in a network you trust.`
