/** Says where to find the token of a `curl` command, if the page does not show it. */
import { knowsToken } from "./Curl.ts"

export const TokenHint = () =>
  knowsToken() ? null : (
    <p class="hint">
      <code>$MESSAGING_TOPUP_TOKEN</code> is the token that the sandbox printed when it started.
    </p>
  )
