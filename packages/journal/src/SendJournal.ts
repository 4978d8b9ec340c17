/** The journal: each send is written down before its request starts. */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { CampaignSends } from "./CampaignSends.ts"
import type { JournalError } from "./Errors.ts"
import type { Claim, Decision, KeyedSend, SendEnding, SendKey } from "./Send.ts"
import type { SendOnceError, SentOnce } from "./SendOnce.ts"
import type { OperatorSends } from "./sends/Operator.ts"
import type { ServerSends } from "./ServerSends.ts"

/**
 * The journal. It never sends an SMS twice without a person's decision, even if processes crash or freeze.
 * This is at-most-once, not exactly-once: a send of unknown outcome stays unknown until a person decides.
 *
 * A send has a key, and is claimed on disk before its request starts, which must be within 10 seconds. Only
 * the token of the claim settles it. A claim that is older than its request can run reads as unknown.
 */
export class SendJournal extends Context.Service<
  SendJournal,
  {
    /**
     * Sends an SMS once for a key, across all processes: every later caller gets the first result. After a
     * send that did not go out, the next caller sends. Number and text are not stored, and the key is stored as
     * it is given, but of one that could be a phone number only a digest. With a campaign, it is the send of the
     * campaign's row, and begins the campaign.
     */
    readonly sendOnce: (
      key: SendKey,
      request: SendSmsRequest
    ) => Effect.Effect<SentOnce, SendOnceError, MessagingTopup>
    /**
     * Applies a person's decision to a send of unknown outcome, or takes back another decision if there is no
     * later attempt. Returns whether anything changed.
     */
    readonly resolve: (key: SendKey, decision: Decision) => Effect.Effect<boolean, JournalError>
    /**
     * Deletes sends of plain keys to which nothing happened for `olderThan`; those of unknown outcome only if
     * `unknown` is true. A deleted key is forgotten: the same key sends again. Returns how many were deleted.
     */
    readonly prune: (what: {
      readonly olderThan: Duration.Duration
      readonly unknown: boolean
    }) => Effect.Effect<number, JournalError>
    /** The sends of campaigns. */
    readonly campaigns: CampaignSends
    /** The sends of all owners. */
    readonly operator: OperatorSends
    /** The sends of a server that asks a person. */
    readonly server: ServerSends
    /**
     * Settles a claim. While the journal is not available, it goes on trying in the background, until the
     * journal is closed and five seconds longer. Returns whether it was written within two seconds.
     */
    readonly settle: (claim: Claim, ending: SendEnding) => Effect.Effect<boolean>
    /** Writes to the journal. Fails if a claim would fail because the journal is not available. */
    readonly check: Effect.Effect<void, JournalError>
    /**
     * Returns a keyed digest, which is the same in all processes of one journal and differs between
     * journals: 22 characters.
     */
    readonly digest: (parts: ReadonlyArray<string>) => string
    /** The digest of a phone number, the same for all its spellings. */
    readonly recipientDigest: (recipient: string) => string
    /** The digest of text, sender and number, the same under every key. */
    readonly contentDigest: (request: SendSmsRequest) => string
    /** How the journal looks a send up. */
    readonly identify: (key: SendKey, request: SendSmsRequest) => KeyedSend
  }
>()("@messaging-topup/journal/SendJournal") {}
