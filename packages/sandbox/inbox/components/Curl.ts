/**
 * Makes `curl` commands for this sandbox.
 */
import { baseUrl, isLoopback } from "../Address.ts"
import { token } from "../Token.ts"

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Beyond loopback, the token is not shown, because the page may be on a shared screen. */
const authorization = (): string =>
  isLoopback && token.value !== undefined
    ? quoted(`Authorization: Bearer ${token.value}`)
    : '"Authorization: Bearer $MESSAGING_TOPUP_TOKEN"'

export const knowsToken = (): boolean => isLoopback && token.value !== undefined

export const sendLine = (recipient: string, message: string): string =>
  [
    `curl ${baseUrl}/sms/send`,
    `-H ${authorization()}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify({ recipient, message }))}`
  ].join(" \\\n  ")
