/** Removes all messages or all requests, after a confirmation. */
import { useSignal } from "@preact/signals"
import { announce, attempt } from "../Notice.ts"
import { Dialog } from "./Dialog.tsx"
import { Icon } from "./Icon.tsx"

interface Props {
  readonly what: "messages" | "requests"
  readonly kept: number
  /** What else the clear changes. */
  readonly consequence: string
  readonly clear: () => Promise<void>
}

export const ClearButton = ({ clear, consequence, kept, what }: Props) => {
  const isOpen = useSignal(false)
  const confirm = async (): Promise<void> => {
    isOpen.value = false
    if (await attempt(`The ${what} could not be cleared`, clear()))
      announce(`The ${what} are cleared`)
  }
  return (
    <>
      <button
        type="button"
        class="quiet icon-button"
        aria-label={`Clear ${what}`}
        title={`Clear ${what}`}
        disabled={kept === 0}
        onClick={() => (isOpen.value = true)}
      >
        <Icon name="trash" />
      </button>
      <Dialog title={`Clear all ${what}?`} isOpen={isOpen}>
        <p>
          {kept.toLocaleString()} kept. {consequence}
        </p>
        <div class="actions">
          <button type="button" autofocus onClick={() => (isOpen.value = false)}>
            Keep them
          </button>
          <button type="button" class="danger" onClick={() => void confirm()}>
            Clear
          </button>
        </div>
      </Dialog>
    </>
  )
}
