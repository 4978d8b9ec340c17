/** A native dialog, which keeps the focus inside and closes with Escape. */
import type { Signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"

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
      <div class="dialog-box">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button
            type="button"
            class="quiet icon-button"
            aria-label="Close"
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

export const Dialog = (props: Props) => (props.isOpen.value ? <Panel {...props} /> : null)
