/**
 * The contract of a running sandbox as an Effect `HttpApi`: the five operations of the service, and
 * the control endpoints, with the schemas of their bodies.
 *
 * Unstable, because the Effect modules that it uses are unstable.
 */
export { SandboxApi, SandboxEvent } from "./control/ControlApi.ts"
export { ActiveFault, CurrentFault, FaultRequest } from "./faults/FaultSchema.ts"
export {
  MessageFilter,
  MessagePage,
  RequestPage,
  StoredMessage,
  StoredRequest
} from "./record/Schemas.ts"
