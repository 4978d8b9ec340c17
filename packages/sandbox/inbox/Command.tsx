/** `curl` commands for this sandbox, to copy. */
import { useSignal } from "@preact/signals"
import { baseUrl, isLoopback, serviceToken } from "./Api.ts"
import { IconButton } from "./Icon.tsx"
import { announce } from "./Notice.tsx"

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Beyond loopback, the token is not shown, because the page may be on a shared screen. */
const shownToken = (): string | undefined => (isLoopback ? serviceToken.value : undefined)

const authorization = (): string =>
  shownToken() !== undefined
    ? quoted(`Authorization: Bearer ${shownToken()}`)
    : '"Authorization: Bearer $MESSAGING_TOPUP_TOKEN"'

export const sendLine = (recipient: string, message: string): string =>
  [
    `curl ${baseUrl}/sms/send`,
    `-H ${authorization()}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify({ recipient, message }))}`
  ].join(" \\\n  ")

/** Says where to find the token of a command, if the page does not show it. */
export const TokenHint = () =>
  shownToken() !== undefined ? null : (
    <p class="hint">
      <code>$MESSAGING_TOPUP_TOKEN</code> is the token that the sandbox printed when it started.
    </p>
  )

interface CopyProps {
  readonly text: string
  /** What is copied: `curl line`. */
  readonly what: string
}

/** Copies a text and announces it. */
export const CopyButton = ({ text, what }: CopyProps) => {
  const isCopied = useSignal(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      isCopied.value = true
      announce(`${what} copied`)
      setTimeout(() => (isCopied.value = false), 1500)
    } catch {
      // Browsers allow the clipboard only on https and on loopback. The text can still be selected.
      announce(`The browser does not let this page copy. Select the ${what} instead.`)
    }
  }
  return (
    <IconButton icon={isCopied.value ? "check" : "copy"} label={`Copy ${what}`} onClick={copy} />
  )
}

export const Command = ({ line, what = "curl line" }: { line: string; what?: string }) => (
  <div class="command line card">
    <pre class="grow" tabIndex={0} aria-label={what} role="region">
      <code>{line}</code>
    </pre>
    <CopyButton text={line} what={what} />
  </div>
)
