/** What the packages of this project need besides. It can change in any version. */
import { type SendJournal as ForPrograms, WholeJournal } from "./sends/SendJournal.ts"

export { isWord } from "./database/StoredRows.ts"
export * as QuietHours from "./many/QuietHours.ts"
export { patienceMinutes } from "./many/Pace.ts"
export { read as readSendManyOptions, table as sendManyTable } from "./many/Settings.ts"
export { type RowState, stateOf } from "./many/Supply.ts"
export { journalVariable, olderCopy, stopAll } from "./model/JournalName.ts"
export {
  argumentOfVariable,
  type JournalLocation,
  locate,
  mountVariable,
  nameOf
} from "./model/Location.ts"
export { shellWord } from "./model/ShellWord.ts"
export { contentOf, readVariable, sourceOf } from "./model/Variable.ts"
export { checkName, readSend, sameForms } from "./model/Names.ts"
export { anotherSms, partsOf } from "./model/SameSms.ts"
export { acceptFailover, create, exists, open, openNamed, placed } from "./Place.ts"
export {
  type Claim,
  countsForHours,
  decidedSo,
  decidedState,
  type KeyedSend,
  type KnownSend,
  sameTextDays,
  type Standing,
  type StoredEnd
} from "./model/Send.ts"
export * from "./model/States.ts"
export type { OtherSend } from "./Rule.ts"
export type { KnownCampaign } from "./sends/Campaigns.ts"
export { type AskedSms, type EarlierSends, newestOf, type SendsTo } from "./sends/EarlierSends.ts"
export { storedEndOf } from "./sends/StoredEnd.ts"
export {
  type Approval,
  type Claimed,
  type LimitReached,
  type SentNow,
  type ToSend,
  type UsedAs
} from "./sends/Server.ts"
export { countsOf, type Tally } from "./sends/Tallies.ts"

/** The same service as `SendJournal` of programs, with all that it can do. */
export const SendJournal = WholeJournal
export type SendJournal = ForPrograms
