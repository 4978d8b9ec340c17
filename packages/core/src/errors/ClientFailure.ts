/**
 * The failures that every operation shares, whatever the service documents for it.
 *
 * @since 0.1.0
 */
import type { ConnectionFailed } from "./ConnectionFailed.ts"
import type { ConnectionLost } from "./ConnectionLost.ts"
import type { InvalidInput } from "./InvalidInput.ts"
import type { InvalidResponse } from "./InvalidResponse.ts"
import type { RequestTimedOut } from "./RequestTimedOut.ts"
import type { UndocumentedStatus } from "./UndocumentedStatus.ts"

/**
 * The failures that every operation shares.
 *
 * @since 0.1.0
 */
export type ClientFailure =
  | InvalidInput
  | ConnectionFailed
  | ConnectionLost
  | RequestTimedOut
  | UndocumentedStatus
  | InvalidResponse
