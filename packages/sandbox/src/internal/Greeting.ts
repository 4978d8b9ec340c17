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

export const text = ({ baseUrl, token }: Address): string => `\
A sandbox of the Messaging and Top-up Service. Nothing is ever sent.

  Address  ${baseUrl}
  Inbox    ${baseUrl}/
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
