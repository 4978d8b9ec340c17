/** A mock server of the Messaging and Top-up Service, for tests that send nothing. */
export type { Fault, SandboxFault } from "./faults/Fault.ts"
export type { Kept, MessageFilter, StoredMessage, StoredRequest } from "./record/Stored.ts"
export { UnknownMessage } from "./record/UnknownMessage.ts"
export { type InProcessOptions, Sandbox, type SandboxOptions } from "./Sandbox.ts"
export { SandboxStartError } from "./server/SandboxStartError.ts"
export { type ForcedOutcome, forcedOutcomeOf, forcedOutcomes } from "./service/ForcedOutcomes.ts"
