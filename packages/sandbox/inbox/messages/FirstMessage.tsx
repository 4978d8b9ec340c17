/** What stands where nothing was sent yet. */
import { Command } from "../parts/Command.tsx"
import { sendLine } from "../parts/Curl.ts"
import { Icon } from "../parts/Icon.tsx"
import { TokenHint } from "../parts/TokenHint.tsx"

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
