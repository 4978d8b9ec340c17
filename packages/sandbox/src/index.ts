/**
 * A mock server of the Messaging and Top-up Service, to test without sending.
 *
 * @since 0.1.0
 */
export { Fault, type FaultOptions } from "./Fault.ts"
export { type ForcedOutcome, forcedOutcomes } from "./ForcedOutcomes.ts"
export type { AcceptedSms, ReceivedRequest } from "./Recorded.ts"
export { type InProcessOptions, Sandbox, type SandboxOptions } from "./Sandbox.ts"
export { SandboxStartError } from "./SandboxStartError.ts"
