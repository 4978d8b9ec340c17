/**
 * The failures that every operation shares, in addition to its documented errors.
 *
 * @since 0.1.0
 */
import { ConnectionFailed } from "./ConnectionFailed.ts"
import { ConnectionLost } from "./ConnectionLost.ts"
import { InvalidInput } from "./InvalidInput.ts"
import { InvalidResponse } from "./InvalidResponse.ts"
import { RequestTimedOut } from "./RequestTimedOut.ts"
import { UndocumentedStatus } from "./UndocumentedStatus.ts"

/** Their schemas, for the union of each operation's errors. */
export const clientFailures = [
  InvalidInput,
  ConnectionFailed,
  ConnectionLost,
  RequestTimedOut,
  UndocumentedStatus,
  InvalidResponse
] as const

/**
 * The failures that every operation shares.
 *
 * @since 0.1.0
 */
export type ClientFailure = InstanceType<(typeof clientFailures)[number]>
