/** Sends an SMS from the page, and has commands to copy: for a first SMS, and for each forced outcome. */
import { useSignal } from "@preact/signals"
import { Command, sendLine, TokenHint } from "./Command.tsx"
import { SendForm } from "./SendForm.tsx"
import { type ForcedOutcome, forcedOutcomes } from "./Tables.ts"

/** Renders text in backticks as code. */
const withCode = (text: string) =>
  text
    .split("`")
    .map((piece, index) => (index % 2 === 1 ? <code key={piece}>{piece}</code> : piece))

const prefix = "+1555000"

const Outcome = ({ outcome }: { outcome: ForcedOutcome }) => {
  const isOpen = useSignal(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="request" data-row>
          <span class="mono">
            <span class="prefix">{prefix}</span>
            <strong>{outcome.suffix}</strong>
          </span>
          <span class="response">{withCode(outcome.response)}</span>
          <span class="hint tinted" data-tone={outcome.accepted ? "done" : undefined}>
            {outcome.accepted ? "SMS accepted" : "not accepted"}
          </span>
        </summary>
        {isOpen.value ? (
          <div class="request-details stack">
            <Command
              line={sendLine(`${prefix}${outcome.suffix}`, "Hello")}
              what={`curl line for ${outcome.suffix}`}
            />
          </div>
        ) : null}
      </details>
    </li>
  )
}

export const Send = () => (
  <section class="pane wide-pane" aria-label="Send">
    <div class="scroller">
      <div class="wide stack">
        <h2>Send an SMS</h2>
        <p class="lead soft">
          Nothing leaves the sandbox. If a fault resets the connection, the browser may send the SMS
          a second time.
        </p>
        <SendForm />
        <h2>The same with curl</h2>
        <Command line={sendLine("+15551234567", "Hello from the sandbox")} />
        <TokenHint />
        <h2>Forced outcomes</h2>
        <p class="lead soft">
          The last digits of a number that starts with +1555 decide; any other number is accepted.
          For reads, the end of the message id or the reference code decides.
        </p>
        <ul class="cards card outcomes">
          {forcedOutcomes.map((outcome) => (
            <Outcome key={outcome.suffix} outcome={outcome} />
          ))}
        </ul>
      </div>
    </div>
  </section>
)
