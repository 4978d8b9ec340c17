/**
 * A mock server of the Messaging and Top-up Service, for tests that send nothing.
 *
 * @since 0.1.0
 */
export type { StoredMessage } from "./record/Model.ts"
export type { MessageFilter } from "./record/Pages.ts"
export { Fault, type FaultOptions } from "./faults/Fault.ts"
export { type ForcedOutcome, forcedOutcomes } from "./service/ForcedOutcomes.ts"
export type { AcceptedSms, ReceivedRequest } from "./record/Recorded.ts"
export { Sandbox } from "./Sandbox.ts"
export type { InProcessOptions, SandboxOptions } from "./server/SandboxOptions.ts"
export { SandboxStartError } from "./server/SandboxStartError.ts"
export { UnknownMessage } from "./record/UnknownMessage.ts"
