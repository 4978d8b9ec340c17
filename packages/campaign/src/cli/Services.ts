/**
 * Provides a command with the journal and the messaging service that its options name.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import type { MessagingTopup } from "@messaging-topup/core"
import type { CampaignJournal, SendJournal } from "@messaging-topup/journal"
import { open, openToRead } from "@messaging-topup/journal/open"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CampaignOptions } from "../sending/CampaignOptions.ts"
import * as Setup from "../sending/Setup.ts"
import type { Failure } from "./Failure.ts"
import type * as Flags from "./Flags.ts"
import type { Inbox } from "./Inbox.ts"
import type { Invocation } from "./Invocation.ts"
import * as Journal from "./Journal.ts"
import * as MessagingService from "./MessagingService.ts"
import * as Options from "./Options.ts"
import { note } from "./Output.ts"

export type JournalFlags = Values<typeof Flags.journal>

export interface ServiceFlags extends JournalFlags, Values<typeof Flags.service> {}

export interface SendFlags extends ServiceFlags, Options.RunFlags {}

type Journals = CampaignJournal | SendJournal

const withExisting = (openIt: typeof open) =>
  Effect.fnUntraced(function* <A>(
    { journal }: JournalFlags,
    effect: Effect.Effect<A, Failure, Invocation | Journals>
  ): Effect.fn.Return<A, Failure, Invocation> {
    const choice = yield* Effect.flatMap(Journal.choose(journal), Journal.requireExisting)
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    return yield* Effect.provide(effect, openIt(choice))
  })

/** For commands that do not call the service. */
export const withJournal = withExisting(open)

/** For commands that only read: the journal may be on a read-only disk, and nobody waits. */
export const withJournalToRead = withExisting(openToRead)

/** A separate id, so that rows sent to a sandbox do not count as sent. */
export const sandboxPrefix = "sandbox:"

const needsSandbox = new UsageError({
  problem: `--campaign: an id that begins with ${sandboxPrefix} needs --sandbox`
})

export interface Prepared {
  readonly id: string
  readonly options: CampaignOptions
  /** Another command on the campaign, as a line that a person can copy. */
  readonly lineOf: (command: string, ...args: ReadonlyArray<string>) => string
  /** The command that resumes the campaign. */
  readonly resumeLine: string
  /** The zone of the times that are shown. */
  readonly zone: DateTime.TimeZone
}

interface Wanted extends SendFlags {
  readonly campaign: string
  /** Whether the journal must exist. */
  readonly mustExist: boolean
}

/**
 * For commands that call the service. Wrong settings fail here, before rows are read or questions are
 * asked.
 */
export const withServices = Effect.fnUntraced(function* <A>(
  { campaign, journal, mustExist, sandbox: isAsked, ...flags }: Wanted,
  use: (
    prepared: Prepared
  ) => Effect.Effect<A, Failure, Inbox | Invocation | Journals | MessagingTopup>
): Effect.fn.Return<A, Failure, Invocation> {
  const options = yield* Options.optionsOf(flags)
  const zone = yield* Options.zoneOf(flags)
  const isOfSandbox = campaign.startsWith(sandboxPrefix)
  if (isOfSandbox && !isAsked && !mustExist) return yield* needsSandbox
  // The rows of an existing campaign of a sandbox can go nowhere else.
  const sandbox = isAsked || isOfSandbox
  const id = sandbox && !isOfSandbox ? `${sandboxPrefix}${campaign}` : campaign
  const choice = yield* Journal.choose(journal)
  if (mustExist) yield* Journal.requireExisting(choice)
  const lineOf: Prepared["lineOf"] = (command, ...args) =>
    Journal.lineOf(choice, command, id, ...args)
  const resumeLine = lineOf("resume", ...Options.argsOf(flags))
  const prepared: Prepared = { id, lineOf, options, resumeLine, zone }
  if (sandbox) yield* note(`Campaign ${id}, in the journal ${Journal.nameOf(choice)}`)
  const connections = Math.max(100, options.concurrency ?? 0)
  return yield* Effect.andThen(
    Setup.make(options, () => Effect.void),
    use(prepared)
  ).pipe(
    // The service is built first: wrong settings must not create a journal.
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(
      Layer.provideMerge(open(choice), MessagingService.layer({ connections, sandbox }))
    )
  )
})
