/**
 * What a handler wants to happen to its response on the wire.
 */
import * as Context from "effect/Context"
import type { Fault } from "../Fault.ts"

/** One for each request. It never shows in the response itself. */
export class ForcedFault extends Context.Service<ForcedFault, { current: Fault | undefined }>()(
  "@messaging-topup/sandbox/internal/ForcedFault"
) {}
