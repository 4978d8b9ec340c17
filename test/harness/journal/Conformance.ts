/**
 * The tests that every journal must pass, in memory, SQLite and PostgreSQL. Each starts on an empty
 * journal.
 */
import type { MessagingTopup } from "@messaging-topup/core"
import type { SendJournal } from "@messaging-topup/journal"
import type { Sandbox } from "@messaging-topup/sandbox"
import type * as Effect from "effect/Effect"
import { campaignTests } from "./conformance/CampaignTests.ts"
import { addressTests } from "./conformance/AddressTests.ts"
import { sendOnceTests } from "./conformance/SendOnceTests.ts"
import { serverTests } from "./conformance/ServerTests.ts"
import type { Time } from "./Time.ts"

const all: Readonly<
  Record<string, Effect.Effect<void, unknown, MessagingTopup | Sandbox | SendJournal | Time>>
> = { ...sendOnceTests, ...campaignTests, ...serverTests, ...addressTests }

export const conformanceTests = Object.entries(all)
