/**
 * The errors of the journal. None contains a phone number, an SMS text or a database's own text.
 *
 * After each of them, `sendOnce` sent nothing; `sendMany` may have sent rows before. `sendOutcome` says what is known of the
 * SMS: an earlier call may have sent it. This folder imports nothing of Effect, because the declarations of `openJournal`
 * refer to it.
 */
import {
  failure,
  type InvalidInput,
  type OfCall,
  type SendSmsError
} from "@messaging-topup/core/internal/errors"
import { type NamedSend, olderCopy, stopAll, wayToResolve } from "./JournalName.ts"
import { anotherSms } from "./SameSms.ts"
import { anyDecision } from "./Send.ts"
import type { HeldState } from "./States.ts"

/** What to do when the newest sends are lost, once everything has stopped. */
const compare =
  "compare with the service, and keep what went out from going out again (take its rows out of the lists, and its keys out of programs; tell the callers); only then go on"

/** What to do without a part of a journal, or all of it. */
const restore = `a backup does not have what was sent after it, and another file or database nothing, and what they do not have is sent again: ${stopAll}, restore the newest backup, ${compare}`

const advice = {
  unreachable:
    "check that its folder or URL is correct, and that this user may use it; of PostgreSQL, also that it runs, and that its client has a free connection: sendOnce in a transaction takes another one",
  busy: "all connections of the database are in use: allow this program more, or let others use fewer",
  login:
    "the database refuses this user: check the user and the password in its URL, and whether it asks for TLS (sslmode=require)",
  "no-database":
    "the server has no database of this name: create it, or correct the name in the URL",
  certificate:
    "this machine does not trust the certificate of the database: name the file of its authority in NODE_EXTRA_CA_CERTS; if it names another server, or has expired, correct the URL or the server",
  "no-tls":
    "the database has no TLS, which sslmode asks for: turn it on there, or write sslmode=disable if nobody else can read the network",
  "statement-mode":
    "its connection ends at each transaction, and not at a single statement, as with a pooler in statement mode: set the pooler to transaction or session mode",
  cancelled:
    "the database cancels statements, for five seconds now: raise the statement_timeout of its role, or find who cancels them",
  "driver-missing": "PostgreSQL needs the package @effect/sql-pg: npm install @effect/sql-pg",
  full: "the disk is full: free some space",
  "read-only":
    "its file or database cannot be written: give this user the right to write it; only its owner can write a file, so run as that user, or share a journal in PostgreSQL",
  "read-only-folder":
    "its folder cannot be written, and a write needs a -journal file beside the file: give this user the right to write the folder",
  "no-right":
    "this user lacks a right in the database: to create it, grant create on database …, or create schema messaging_topup_journal authorization …; to use it, grant usage on that schema, and select, insert, update and delete on its tables",
  standby:
    "this database server is a standby, which takes no writes: name the primary, or promote it",
  corrupt: `it is damaged: ${restore}`,
  empty: `its file is empty, because its first start did not end or something emptied it: if nothing was sent before, messaging-topup init fills it, once; otherwise, ${restore}`,
  incomplete: `a part of it is lost: ${restore}`,
  linked:
    "its file has a second name (a hard link), under which a killed process would leave what repairs it: remove one of the two names",
  foreign: `it is not a journal of this package, and was left as it is: if it never was one, use another file or database; if it was one, it is damaged: ${restore}`,
  replaced: `it was removed or replaced while it was in use: put it back; if it is lost, ${restore}`,
  "older-copy": `a send of this process is not in it: ${olderCopy}, which would send that again, or it was pruned meanwhile; ${stopAll}; if there is a newer file, keep the older one, which alone has what was sent meanwhile, put the newer one back, and take results and sends of both (--journal); ${compare}`,
  "other-journal":
    "the -journal file beside it belongs to another state of the file: if the file is a restored backup, move the -journal file away; if not, put the file back that was there before",
  "failed-over": `another database server took over, or the database was restored: what was sent last may be missing in it, and can be sent again: ${stopAll}, ${compare}: messaging-topup init --accept-failover accepts that server, once`,
  "other-address":
    "its sends went to that address, so it does not know what another one got: a trial, such as on a sandbox, needs a journal of its own: name another one (--journal, or MESSAGING_TOPUP_JOURNAL); if the service itself moved, messaging-topup init --accept-address accepts its new address, once",
  missing:
    "there is none yet, and without it everything would be sent again: check where it should be; if nothing was sent before, messaging-topup init creates it, once",
  "other-version":
    "another version of this package wrote it, probably a newer one: update this package",
  "unreleased-version":
    "no release wrote this version, and it was left as it is: go on with the clone that wrote it; or end the work of that clone, decide its unknown sends, move the file away or rename the schema, and messaging-topup init begins a new journal: every list that is run again is then sent again",
  other: "look up the code in the database's manual"
} as const

/** Why the journal is not available. */
export type JournalProblem = keyof typeof advice

/**
 * The journal could not be read or written.
 *
 * `code` is the database's error code (`SQLITE_FULL`, `57P01`), if it gave one, the version of the journal, or the address
 * of its sends. `journal`, of one that a program or the command could not open, is its place. The database's error text is
 * left out, because it can contain the values to store.
 */
export class JournalUnavailable extends failure<
  Partial<OfCall> & {
    readonly problem: JournalProblem
    readonly code?: string | undefined
    readonly journal?: string
  }
>()("JournalUnavailable", {
  message: ({ code, journal, problem }) =>
    `The journal${journal === undefined ? "" : ` ${journal}`} is not available${code === undefined ? "" : ` (${code})`}: ${advice[problem]}`
}) {
  override readonly sendOutcome = "unknown" as const
}

const gone: ReadonlySet<unknown> = new Set<JournalProblem>([
  "corrupt",
  "empty",
  "foreign",
  "incomplete",
  "older-copy",
  "replaced"
])

/**
 * Whether the journal was removed, replaced or damaged, or may have been. Only a person can put it back, and what runs
 * again before sends again what the other journal lacks. `sendMany` also stops for it, with the reason
 * `"JournalReplaced"`.
 */
export const isJournalGone = (error: unknown): error is JournalUnavailable =>
  error instanceof JournalUnavailable && gone.has(error.problem)

/**
 * Another process held the lock of the journal for longer than `waitedSeconds`.
 */
export class JournalLocked extends failure<Partial<OfCall> & { readonly waitedSeconds: number }>()(
  "JournalLocked",
  {
    message: ({ waitedSeconds }) =>
      `Another process held the journal for ${waitedSeconds} s: call again; if the error stays, find the process that hangs in a transaction and end it; if a pooler stands before PostgreSQL, give it more connections`
  }
) {
  override readonly sendOutcome = "unknown" as const
}

/** The errors of every journal operation. */
export type JournalError = JournalLocked | JournalUnavailable

/**
 * An earlier send with this key may have gone out. This call sent nothing.
 *
 * `id` and `key` are those of the earlier send in `journal`, for `resolve` and `messaging-topup resolve`. `since` is when it
 * was claimed, in milliseconds since 1970. `isOther`: it was another SMS than that of this call.
 */
export class OutcomeUnknown extends failure<
  Partial<OfCall> & NamedSend & { readonly since: number; readonly isOther?: true | undefined }
>()("OutcomeUnknown", {
  message: ({ isOther, ...send }) =>
    `An earlier send with this key${isOther === true ? `, but with ${anotherSms},` : ""} may have gone out, so this call sent nothing. Find out whether it arrived, then resolve it as ${anyDecision}: ${wayToResolve(send)}`
}) {
  override readonly sendOutcome = "unknown" as const
}

const waysOn: Readonly<Record<HeldState, string>> = {
  sent: "that SMS went out, and this call sent nothing; with another key, this one goes out as a second SMS",
  closed:
    "a person decided that nothing sends that SMS, and this call sent nothing; to send this one, give it another key"
}

/**
 * The journal has the key with another SMS. This call sent nothing, and stored nothing. `state`: the other SMS was sent, or a
 * person decided that nothing sends it.
 */
export class KeyConflict extends failure<Partial<OfCall> & { readonly state: HeldState }>()(
  "KeyConflict",
  { message: ({ state }) => `The journal has this key with ${anotherSms}: ${waysOn[state]}` }
) {
  override readonly sendOutcome = "not-sent" as const
}

/** A person decided that the SMS of this key did not go out and is not sent. This call sent nothing. `id`, `key` and `journal` are those of the send. */
export class SendClosed extends failure<Partial<OfCall> & NamedSend>()("SendClosed", {
  message: (send) =>
    `A person decided that nothing sends the SMS of this key: to send it, they take that back with ${wayToResolve(send, "--was", "not-sent", "--resend")}`
}) {
  override readonly sendOutcome = "not-sent" as const
}

/** The sends of this campaign were pruned, so the journal no longer knows who got an SMS, and sends nothing more of it. */
export class CampaignPruned extends failure<Partial<OfCall> & { readonly campaign: string }>()(
  "CampaignPruned",
  {
    message: ({ campaign }) =>
      `The sends of the campaign ${JSON.stringify(campaign)} were pruned: nobody knows any more who got an SMS of it, so nothing more is sent under this name. Send only to those who got none, under another name`
  }
) {
  override readonly sendOutcome = "unknown" as const
}

/** Rows of the campaign are in flight or of unknown outcome, so `prune` deleted nothing of it. */
export class CampaignUndecided extends failure<Partial<OfCall> & { readonly campaign: string }>()(
  "CampaignUndecided",
  {
    message: ({ campaign }) =>
      `Rows of the campaign ${JSON.stringify(campaign)} are in flight, or their outcome is unknown, and nothing was deleted: decide about them with resolve, or prune with unknown`
  }
) {}

/**
 * The errors of `sendOnce`. A `SendSmsError` comes from this call's own request. After every other error, this
 * call sent nothing. `sendOutcome` of each says what is known of the SMS.
 */
export type SendOnceError =
  | CampaignPruned
  | JournalError
  | KeyConflict
  | OutcomeUnknown
  | SendClosed
  | SendSmsError

/** What `sendMany` fails with, besides the errors of the rows. */
export type SendManyError = CampaignPruned | InvalidInput | JournalError

/** What `resolve` fails with. */
export type ResolveError = InvalidInput | JournalError

/** What `prune` fails with. */
export type PruneError = CampaignUndecided | InvalidInput | JournalError
