/** The status of an SMS, and the control that sets it. */
import { useId } from "preact/hooks"
import type { StoredMessage } from "../src/record/Stored.ts"
import { setMessageStatus } from "./Api.ts"
import { announce, attempt } from "./Notice.tsx"
import { onSubmit } from "./Submit.ts"

const prefix = "SANDBOX_"

const statuses = ["SANDBOX_QUEUED", "SANDBOX_SENT", "SANDBOX_DELIVERED"] as const

const tones: Readonly<Record<string, string>> = {
  SANDBOX_QUEUED: "waiting",
  SANDBOX_SENT: "moving",
  SANDBOX_DELIVERED: "done"
}

export const Status = ({ status }: { status: string }) => (
  <bdi class="status tinted dot" data-tone={tones[status] ?? "other"}>
    {status.startsWith(prefix) ? (
      <>
        <span class="prefix">{prefix}</span>
        {status.slice(prefix.length)}
      </>
    ) : (
      status
    )}
  </bdi>
)

const set = async (id: string, status: string): Promise<boolean> => {
  const isSet = await attempt("The status could not be set", setMessageStatus(id, status))
  if (isSet) announce(`Status set to ${status}`)
  return isSet
}

/** Sets the status that every read returns from now on. */
export const StatusControl = ({ message }: { message: StoredMessage }) => {
  const inputId = useId()
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const status = new FormData(form).get("status")
    if (typeof status !== "string" || status.trim() === "") return
    if (await set(message.message_id, status.trim())) form.reset()
  }
  return (
    <section class="block stack" aria-label="Status">
      <h3>Status</h3>
      <div class="choices line wrap">
        {statuses.map((status) => (
          <button
            key={status}
            type="button"
            // On a phone, the prefix of the status is hidden.
            aria-label={status}
            aria-pressed={status === message.status}
            onClick={() => void set(message.message_id, status)}
          >
            <Status status={status} />
          </button>
        ))}
      </div>
      <form class="line" onSubmit={onSubmit(submit)}>
        <label class="hint" for={inputId}>
          Other status
        </label>
        <input
          class="grow"
          id={inputId}
          name="status"
          autocomplete="off"
          spellcheck={false}
          required
        />
        <button type="submit">Set</button>
      </form>
      <p class="hint">The service does not document its statuses. These are made up.</p>
    </section>
  )
}
