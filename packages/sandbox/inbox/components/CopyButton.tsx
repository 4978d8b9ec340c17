/** Copies a text and announces it. */
import { useSignal } from "@preact/signals"
import { announce } from "../Notice.ts"
import { Icon } from "./Icon.tsx"

interface Props {
  readonly text: string
  /** What is copied: `curl line`. */
  readonly what: string
}

export const CopyButton = ({ text, what }: Props) => {
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
    <button
      type="button"
      class="quiet icon-button"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isCopied.value ? "check" : "copy"} />
    </button>
  )
}
