/** At-most-once sends: a journal that is written before each request starts. */
import "@messaging-topup/core/internal/node"
export type {
  AccountError,
  QuietHours,
  Row,
  RowCounts,
  SendManyEvent,
  SendManyResult,
  Stop,
  StopReason
} from "./model/Campaign.ts"
export * from "./model/Errors.ts"
export type {
  Decision,
  KeyedSend,
  Resolved,
  SendKey,
  SentMessage,
  ToResolve
} from "./model/Send.ts"
export type { SendManyOptions } from "./many/Settings.ts"
export { sendMany } from "./SendMany.ts"
export { SendJournal, type ToPrune } from "./sends/SendJournal.ts"
export { isFinal } from "./model/Final.ts"
export { sendOnceErrorSchema, SentOnce } from "./sends/SendOnceEnd.ts"
export { layerMemory } from "./Sqlite.ts"
