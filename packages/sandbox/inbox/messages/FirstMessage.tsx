/** The placeholder while there are no messages. */
import { Command } from "../components/Command.tsx"
import { sendLine } from "../components/Curl.ts"
import { Icon } from "../components/Icon.tsx"
import { TokenHint } from "../components/TokenHint.tsx"

export const FirstMessage = () => (
  <div class="first">
    <span class="first-mark">
      <Icon name="bubble" />
    </span>
    <h2>No messages yet</h2>
    <p>An SMS that the sandbox accepts shows up here at once. Send the first one:</p>
    <Command line={sendLine("+15551234567", "Hello from the sandbox")} />
    <TokenHint />
  </div>
)
