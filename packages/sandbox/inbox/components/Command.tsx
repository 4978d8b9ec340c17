/** A shell command with a copy button. */
import { CopyButton } from "./CopyButton.tsx"

export const Command = ({ line, what = "curl line" }: { line: string; what?: string }) => (
  <div class="command">
    <pre tabIndex={0} aria-label={what} role="region">
      <code>{line}</code>
    </pre>
    <CopyButton text={line} what={what} />
  </div>
)
