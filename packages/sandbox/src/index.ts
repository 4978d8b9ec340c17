/** A mock server of the Messaging and Top-up Service, for tests that send nothing. */
import "@messaging-topup/core/internal/node"
export { ListenFailed } from "./server/Port.ts"
export { UnknownMessage } from "./kept/Messages.ts"
export { type InProcessOptions, Sandbox, type SandboxOptions } from "./Sandbox.ts"
export { type ForcedOutcome, forcedOutcomeOf, forcedOutcomes } from "./service/Outcomes.ts"
export type {
  Fault,
  Kept,
  MessageFilter,
  SandboxFault,
  StoredMessage,
  StoredRequest
} from "./Types.ts"
