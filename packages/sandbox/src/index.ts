/**
 * A mock server of the Messaging and Top-up Service, for tests that send nothing.
 *
 * @since 0.1.0
 */
export type { StoredMessage } from "./control/Model.ts"
export type { MessageFilter } from "./control/Pages.ts"
export { Fault, type FaultOptions } from "./Fault.ts"
export { type ForcedOutcome, forcedOutcomes } from "./ForcedOutcomes.ts"
export type { AcceptedSms, ReceivedRequest } from "./Recorded.ts"
export { Sandbox } from "./Sandbox.ts"
export type { InProcessOptions, SandboxOptions } from "./SandboxOptions.ts"
export { SandboxStartError } from "./SandboxStartError.ts"
export { UnknownMessage } from "./UnknownMessage.ts"
