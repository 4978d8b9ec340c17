/** Sends an SMS to the sandbox from the page, as a client of the service does. */
import { useSignal } from "@preact/signals"
import { Refused, sendSms, serviceToken } from "./Api.ts"
import { announce } from "./Notice.tsx"
import { toMessage } from "./Route.ts"
import { onSubmit } from "./Submit.ts"

/** A field that is left empty is not sent. */
const smsOf = (form: HTMLFormElement): object =>
  Object.fromEntries(Array.from(new FormData(form)).filter(([, value]) => value !== ""))

const lost =
  "The response did not arrive or cannot be read. Messages shows whether the SMS was accepted."

export const SendForm = () => {
  const problem = useSignal<string | undefined>(undefined)
  const isSending = useSignal(false)
  const send = async (form: HTMLFormElement): Promise<void> => {
    problem.value = undefined
    isSending.value = true
    try {
      const id = await sendSms(smsOf(form))
      announce("The SMS was accepted")
      location.hash = toMessage(id)
    } catch (error) {
      problem.value = error instanceof Refused ? `${error.status}: ${error.message}` : lost
    }
    isSending.value = false
  }
  if (serviceToken.value === undefined) return null
  return (
    <form class="stack" onSubmit={onSubmit(send)}>
      <label class="field">
        <span>Recipient</span>
        <input name="recipient" defaultValue="+15551234567" autocomplete="off" required />
      </label>
      <label class="field">
        <span>Message</span>
        <textarea name="message" rows={3} defaultValue="Hello from the sandbox" required />
      </label>
      <label class="field">
        <span>Sender id</span>
        <input name="sender_id" autocomplete="off" placeholder="none" />
      </label>
      {problem.value === undefined ? null : (
        <p class="problem card toned" data-tone="failed" role="alert">
          {problem.value}
        </p>
      )}
      <div class="line end">
        <button type="submit" class="primary" disabled={isSending.value}>
          Send
        </button>
      </div>
    </form>
  )
}
