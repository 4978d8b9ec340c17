/** What the journal knows of a send, and what programs say of it. */
import type { HeldState, SendState } from "./States.ts"

/** A message that the service accepted. */
export interface SentMessage {
  readonly message_id: string
  /** As the service wrote it; of an earlier call, empty if it was not one word of letters. */
  readonly status: string
}

/**
 * The key of a send. A plain one is the program's own, with a slash in it or not. One with a campaign is that
 * of the campaign's row. None begins or ends with white space, or has a control character.
 */
export type SendKey = string | { readonly campaign: string; readonly key: string }

/** The result of `sendOnce`: the SMS of the key was sent, by this call or an earlier one. */
export interface SentOnce {
  /** Empty if the service's response could not be read, or if a person decided that it was sent. */
  readonly messages: ReadonlyArray<SentMessage>
  /** Whether an earlier call sent it. If so, this call sent nothing. */
  readonly isEarlier: boolean
}

/** For so many hours, what the server sent counts as sent: less than a day, so that a daily SMS goes out. */
export const countsForHours = 20

export const countsForMillis = countsForHours * 60 * 60 * 1000

/** For so many days, the same text to the same number is a second SMS. */
export const sameTextDays = 30

export const sameTextMillis = sameTextDays * 24 * 60 * 60 * 1000

/** A send as the journal looks it up: the key as it is stored, and the digest of its request. */
export interface KeyedSend {
  readonly key: string
  readonly digest: string
}

/** What is asked about a key: without a digest, not whether its SMS is another one. */
export interface AskedKey extends Pick<KeyedSend, "key">, Partial<Pick<KeyedSend, "digest">> {}

/** The decisions about a send of unknown outcome, with the state that each gives it. */
export const decidedState = {
  sent: "sent",
  "not-sent": "closed",
  resend: "freed"
} as const satisfies Readonly<Record<string, SendState>>

/** A person's decision about a send of unknown outcome: it becomes `sent`, `closed` or `freed`. */
export type Decision = keyof typeof decidedState

/** The words of all of them, as a sentence names them. */
export const anyDecision =
  `"sent", "not-sent" or "resend"` satisfies `"${Decision}", "${Decision}" or "${Decision}"`

/**
 * What a person decides about: the rows of a campaign, with `keys` only these rows; the send of a plain key; or
 * the attempts that the person was shown, by their `ids`. Keys are those that were given to `sendOnce` and
 * `sendMany`.
 *
 * It decides about them as they are at the call. Whatever stands otherwise meanwhile stays, and is counted: pass the
 * `ids` that the person was shown.
 */
export type ToResolve = (
  | {
      readonly campaign: string
      readonly keys?: ReadonlyArray<string>
      readonly key?: never
      readonly ids?: never
    }
  | {
      readonly key: string
      readonly campaign?: never
      readonly keys?: never
      readonly ids?: never
    }
  | {
      readonly ids: ReadonlyArray<number>
      readonly campaign?: never
      readonly keys?: never
      readonly key?: never
    }
) & {
  /**
   * Takes this decision of a person back, while there is no later attempt; what the service said is never taken back.
   * Default: decides about what is of unknown outcome.
   */
  readonly was?: Decision | undefined
}

/** What a decision changed. */
export interface Resolved {
  /** How many sends changed. */
  readonly changed: number
  /** How many of the named ids or keys did not change: there is no such send, it is in flight, a response came, or somebody else decided. */
  readonly meanwhile: number
}

/** What `prune` deletes. A deleted key is forgotten: the same key sends again. */
export type ToPruneBy<Age> = (
  | {
      /**
       * All sends of the campaign. Its name stays, and running it again is refused. While a row is in flight or of unknown
       * outcome, it fails with `CampaignUndecided`, and deletes nothing.
       */
      readonly campaign: string
      readonly olderThan?: never
    }
  | {
      /** The sends of plain keys to which nothing happened for so long. */
      readonly olderThan: Age
      readonly campaign?: never
    }
) & {
  /** Also what has an unknown outcome. Default: false. */
  readonly unknown?: boolean | undefined
}

/** A send in the journal. It has no number and no text. Times are in milliseconds since 1970. */
export interface KnownSend {
  /** A number of this journal, which is never used twice. */
  readonly id: number
  /** The campaign of a row. */
  readonly campaign?: string | undefined
  /** As it was given, but of a key that could be a phone number only a keyed digest. */
  readonly key: string
  /** The first claim of a key is attempt 0. */
  readonly attempt: number
  readonly state: SendState
  /** When it was claimed. */
  readonly claimedAt: number
  /** When it got its state. Absent while it is in flight, and if nobody settled it. */
  readonly settledAt?: number | undefined
  /** When a person decided its state. Absent if no person did. */
  readonly decidedAt?: number | undefined
  /** From this time on, a claim without an outcome reads as unknown. */
  readonly staleAt: number
  /** Until when a sent SMS counts as a repetition for who looks. Absent: always. */
  readonly countsUntil?: number | undefined
  /** Empty if the SMS did not go out, if its response could not be read, or if a person decided. */
  readonly messages: ReadonlyArray<SentMessage>
  /** The error's name and status: no number and no text. */
  readonly reason?: string | undefined
  /** The keyed digest of its recipient. */
  readonly recipient?: string | undefined
  /** Who asked for it. Only sends of the server have it. */
  readonly caller?: string | undefined
  /** The batch of the server that it was claimed for. */
  readonly batch?: string | undefined
  /** Only sends of the server have it. */
  readonly segments?: number | undefined
}

/** Says of a send, in results, that a person decided its state; undefined if no person did. */
export const decidedSo = ({ decidedAt }: KnownSend): string | undefined =>
  decidedAt === undefined ? undefined : "a person decided so"

/** How a key stands: whether it may be claimed, and what it depends on. */
export interface Standing {
  /** `"free"`: nothing that still counts is in the way. A `"rejected"` key may be claimed, too. */
  readonly state: "free" | Exclude<SendState, "freed">
  /** The number of the next attempt. */
  readonly attempt: number
  /**
   * Present if the key was sent or closed with another SMS: then this one must not be sent under it. While it is unknown or
   * in flight, that comes first.
   */
  readonly changed: HeldState | undefined
  /** Whether the send that the state comes from is of another SMS. */
  readonly isOther: boolean
  /** How many attempts were sent, also those that no longer count. */
  readonly sent: number
  /** Of how many of these a person decided so. */
  readonly decided: number
  /** The ids of the attempts that read as unknown, the last one first. */
  readonly unknown: ReadonlyArray<number>
  /** The send that the state comes from. Absent if no send of the key still counts. */
  readonly send?: KnownSend | undefined
}

/** The right to make one send. Only who has it settles it. */
export interface Claim {
  readonly id: number
  readonly key: string
  readonly attempt: number
  readonly ticket: string
}

/** A claim, and how its send ended. */
export interface Settlement {
  readonly claim: Claim
  readonly stored: StoredEnd
}

/** What the journal stores of how a claimed send ended. */
export type StoredEnd =
  /** The service accepted it. This wins over everything, however late it comes. */
  | { readonly state: "sent"; readonly messages: ReadonlyArray<SentMessage> }
  | { readonly state: "unknown"; readonly reason?: string }
  /** The service refused this very request. */
  | { readonly state: "rejected"; readonly reason: string }
  /** It never started, or was refused for a reason that is not its own: the key is free again. */
  | { readonly state: "nothing" }
