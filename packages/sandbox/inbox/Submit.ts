/**
 * Handles a form without leaving the page.
 */
import type { TargetedSubmitEvent } from "preact"

export const onSubmit =
  (use: (form: HTMLFormElement) => unknown) =>
  (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    use(event.currentTarget)
  }
