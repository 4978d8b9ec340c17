/** The journal: each send is written down before its request starts. */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Names } from "../model/Names.ts"
import type { JournalError, PruneError, ResolveError, SendOnceError } from "../model/Errors.ts"
import type {
  Decision,
  KeyedSend,
  KnownSend,
  Resolved,
  SendKey,
  SentOnce,
  ToPruneBy,
  ToResolve
} from "../model/Send.ts"
import type { CampaignSends } from "./Campaigns.ts"
import type { Settle } from "./OneSend.ts"
import type { Rule } from "../Rule.ts"
import type { OperatorSends } from "./Operator.ts"
import type { ServerSends } from "./Server.ts"

/** What `prune` deletes, with the age as a duration. */
export type ToPrune = ToPruneBy<Duration.Input>

/**
 * The journal. It never sends an SMS twice without a person's decision, even if processes crash or freeze.
 * This is at-most-once, not exactly-once: a send of unknown outcome stays unknown until a person decides.
 *
 * A send has a key, and is claimed on disk shortly before its request starts. Only
 * the ticket of the claim settles it. A claim that is older than its request can run reads as unknown.
 *
 * `sendMany` sends the rows of a campaign on it. Both send a text as it is: the command and the tools refuse a
 * placeholder that nobody filled, and what else nobody means, but a program may mean it.
 */
export class SendJournal extends Context.Service<
  SendJournal,
  {
    /**
     * Sends an SMS once for a key, across all processes: every later caller gets the first result. After a
     * send that did not go out, the next caller sends. Number and text are not stored, and the key is stored as
     * it is given, but of one that could be a phone number only a digest. With a campaign, it is the send of the
     * campaign's row, and begins the campaign. If the call is interrupted, a request that has started ends first, and its
     * outcome is stored; any other one never starts.
     *
     * It sends by the `MessagingTopup` of the program that calls it, not of the one that opened the journal.
     */
    readonly sendOnce: (
      key: SendKey,
      request: SendSmsRequest
    ) => Effect.Effect<SentOnce, SendOnceError, MessagingTopup>
    /** Applies a person's decision to sends, and returns how many it changed: see {@link ToResolve}. */
    readonly resolve: (
      which: ToResolve,
      decision: Decision
    ) => Effect.Effect<Resolved, ResolveError>
    /** Deletes sends, and returns how many, or how many rows of a campaign: see {@link ToPruneBy}. */
    readonly prune: (which: ToPrune) => Effect.Effect<number, PruneError>
    /**
     * Returns how the journal looks a send up: digests that are the same in all processes of one journal, and differ
     * between journals. Another request under the key has another digest.
     */
    readonly identify: (key: SendKey, request: SendSmsRequest) => KeyedSend
  }
>()("@messaging-topup/journal/sends/SendJournal") {}

type ForPrograms = SendJournal["Service"]

/** The same service as the packages of this project have it. */
export interface WholeJournal extends ForPrograms {
  /** Also deletes the sends of a server. They are kept at least as long as something counts them. */
  readonly prune: (
    which: ToPrune,
    owner?: "program" | "server"
  ) => Effect.Effect<number, PruneError>
  /** The sends that `resolve` would change now: who asks a person shows them, and passes their ids. */
  readonly decidable: (which: ToResolve) => Effect.Effect<ReadonlyArray<KnownSend>, ResolveError>
  /** The sends of campaigns. */
  readonly campaigns: CampaignSends
  /** Whether a person began to run lists on this journal: by `init`, or by a run. Others who create it do not. */
  readonly lists: {
    readonly areBegun: Effect.Effect<boolean, JournalError>
    readonly begin: Effect.Effect<void, JournalError>
  }
  /** The sends of all owners. */
  readonly operator: OperatorSends
  /** The sends of a server that asks a person. */
  readonly server: ServerSends
  /** The address to which its sends go. */
  readonly address: Rule["address"]
  readonly settle: Settle
  /** Fails if the journal is that of another address, or was noticed to be an older copy. */
  readonly usable: Effect.Effect<void, JournalError, MessagingTopup>
  /**
   * Writes to the journal. Fails if a claim would fail because the journal is not available or not usable.
   * `wasLost`: it writes as much as a claim does, and takes an id, because a full disk can take less.
   */
  readonly check: (wasLost: boolean) => Effect.Effect<void, JournalError, MessagingTopup>
  /**
   * Returns a keyed digest, which is the same in all processes of one journal and differs between
   * journals: 22 characters.
   */
  readonly digest: (parts: ReadonlyArray<string>) => string
  /** Returns what a claim stores of a request, under the key that `identify` returned. */
  readonly describe: Names["describe"]
  /** The key of `identify`, for what has no request. */
  readonly storedKey: Names["storedKey"]
  /** The digest of a phone number, the same for all its spellings. */
  readonly recipientDigest: (recipient: string) => string
}

/** The service under the same key, so that every layer of a journal provides it. */
export const WholeJournal = Context.Service<SendJournal, WholeJournal>(SendJournal.key)
