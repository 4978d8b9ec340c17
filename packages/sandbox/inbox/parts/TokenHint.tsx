/** Says where the token of a `curl` line comes from, if the page does not know it. */
import { knowsToken } from "./Curl.ts"

export const TokenHint = () =>
  knowsToken() ? null : (
    <p class="hint">
      <code>$MESSAGING_TOPUP_TOKEN</code> is the token that the sandbox printed when it started.
    </p>
  )
