/** Lines to copy: a first SMS, and the recipients that force an outcome. */
import { useSignal } from "@preact/signals"
import { type ForcedOutcome, forcedOutcomes } from "../ForcedOutcomes.ts"
import { Command } from "../parts/Command.tsx"
import { CopyButton } from "../parts/CopyButton.tsx"
import { sendLine } from "../parts/Curl.ts"
import { TokenHint } from "../parts/TokenHint.tsx"

/** `code` in the table is written in backticks. */
const withCode = (text: string) =>
  text.split("`").map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))

const prefix = "+1555000"

const Outcome = ({ outcome }: { outcome: ForcedOutcome }) => {
  const isOpen = useSignal(false)
  const line = sendLine(`${prefix}${outcome.suffix}`, "Hello")
  const what = `curl line for ${outcome.suffix}`
  return (
    <li>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="request" data-row>
          <span class="recipient">
            <span class="prefix">{prefix}</span>
            <strong>{outcome.suffix}</strong>
          </span>
          <span class="response">{withCode(outcome.response)}</span>
          <span class="accepted" data-accepted={outcome.accepted}>
            {outcome.accepted ? "SMS accepted" : "not accepted"}
          </span>
        </summary>
        {isOpen.value ? (
          <div class="request-details">
            <Command line={line} what={what} />
          </div>
        ) : null}
      </details>
      {isOpen.value ? null : <CopyButton text={line} what={what} />}
    </li>
  )
}

export const Send = () => (
  <section class="pane wide-pane" aria-label="Send">
    <div class="scroller">
      <div class="wide">
        <h2>Send an SMS</h2>
        <p class="lead">Nothing leaves the sandbox. The line works in any shell with curl.</p>
        <Command line={sendLine("+15551234567", "Hello from the sandbox")} />
        <TokenHint />
        <h2>Forced outcomes</h2>
        <p class="lead">
          The end of the recipient decides. The end of a message id or a reference code does the
          same for reads.
        </p>
        <ul class="cards outcomes">
          {forcedOutcomes.map((outcome) => (
            <Outcome key={outcome.suffix} outcome={outcome} />
          ))}
        </ul>
      </div>
    </div>
  </section>
)
