/** Dialogs. */
import { type Signal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { IconButton } from "./Icon.tsx"
import { announce, attempt } from "./Notice.tsx"

interface Props {
  readonly title: string
  readonly isOpen: Signal<boolean>
  readonly children: ComponentChildren
}

const Panel = ({ children, isOpen, title }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={() => (isOpen.value = false)}
      onClick={(event) => {
        // A click on the backdrop has the dialog as its target. The content is in its own box.
        if (event.target === dialog.current) dialog.current?.close()
      }}
    >
      <div class="dialog-box stack">
        <header class="line spread">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={() => dialog.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

/** A native dialog, which keeps the focus inside and closes with Escape. */
export const Dialog = (props: Props) => (props.isOpen.value ? <Panel {...props} /> : null)

interface ClearProps {
  readonly what: "messages" | "requests"
  readonly kept: number
  /** What else the clear changes. */
  readonly consequence: string
  readonly clear: () => Promise<void>
}

/** Removes all messages or all requests, after a confirmation. */
export const ClearButton = ({ clear, consequence, kept, what }: ClearProps) => {
  const isOpen = useSignal(false)
  const confirm = async (): Promise<void> => {
    isOpen.value = false
    if (await attempt(`The ${what} could not be cleared`, clear()))
      announce(`The ${what} are cleared`)
  }
  return (
    <>
      <IconButton
        icon="trash"
        label={`Clear ${what}`}
        disabled={kept === 0}
        onClick={() => (isOpen.value = true)}
      />
      <Dialog title={`Clear all ${what}?`} isOpen={isOpen}>
        <p>
          {kept.toLocaleString()} kept. {consequence}
        </p>
        <div class="line end">
          <button type="button" autofocus onClick={() => (isOpen.value = false)}>
            Keep them
          </button>
          <button
            type="button"
            class="toned strong"
            data-tone="failed"
            onClick={() => void confirm()}
          >
            Clear
          </button>
        </div>
      </Dialog>
    </>
  )
}
