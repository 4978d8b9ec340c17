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

/** The table that `--outcomes` prints. */
export const outcomes = [
  "The end of a number +1555…, a message id or a reference code forces a response:",
  "",
  "  Suffix  SMS accepted  Response",
  ...forcedOutcomes.map(
    ({ accepted, response, suffix }) =>
      `  ${suffix}    ${accepted ? "yes" : "no "}           ${response}`
  )
].join("\n")

/** On loopback, the inbox needs no token. Beyond loopback, the link contains it. */
const inboxLine = (baseUrl: string, token: string, needsToken: boolean): string =>
  needsToken ? `${baseUrl}/#token=${encodeURIComponent(token)}` : `${baseUrl}/`

const samples = [...Seeds.airtime.keys(), ...Seeds.dataBundles.keys()].join(", ")

/** The address comes last, because it is what the reader needs next. */
export const text = ({ baseUrl, token }: Address, host: string): string => `\
A sandbox of the Messaging and Top-up Service. Nothing is ever sent.

The number +15550000402 is refused with 402: --outcomes lists all such numbers.
Sample records: ${samples}, and ${Seeds.bundles.length} data bundles.
Stop with Ctrl+C.

Settings for a client:

  export MESSAGING_TOPUP_BASE_URL=${baseUrl}
  export MESSAGING_TOPUP_TOKEN=${Redacted.value(token)}

  Address  ${baseUrl}
  Inbox    ${inboxLine(baseUrl, Redacted.value(token), !isLoopback(host))}
`

export const warning = (host: string): string | undefined =>
  isLoopback(host)
    ? undefined
    : `Warning: ${host} is reachable from other machines over plain http. Use it only in a network you trust.`
