/** The pages give the defaults and the times of the code. */
import { expect, it } from "@effect/vitest"
import { countsForHours, patienceMinutes, sameTextDays } from "@messaging-topup/journal/internal"
import { groups } from "@messaging-topup/mcp-server/src/Options.ts"
import { confirmTimeout } from "@messaging-topup/mcp-server/src/send/Approval.ts"
import { longestCall } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import * as Duration from "effect/Duration"
import { readFileSync } from "node:fs"
import { serviceOptions } from "../../packages/core/src/call/OptionChecks.ts"
import { table as campaignOptions } from "../../packages/journal/src/many/Settings.ts"

const guards = groups["What may be sent"]
const { maxBodyBytes, readRetries, timeout } = serviceOptions
const seconds = timeout.default / 1000

const patience = ["no", "one", "two", "three", "four", "five", "six"][patienceMinutes]

const guide = "docs/mcp.md"
const hosts = "docs/hosts.md"
const reference = "docs/mcp-reference.md"
const campaigns = "docs/campaigns.md"
const core = "packages/core/README.md"
const journal = "packages/journal/README.md"
const ofGuards = "docs/decisions/0007-guards-of-the-mcp-server.md"
const ofJournal = "docs/decisions/0008-the-journal-of-the-mcp-server.md"

it.each([
  [`${Duration.toSeconds(longestCall)} seconds`, [guide, hosts, ofGuards]],
  [`${Duration.toMinutes(confirmTimeout)} minutes`, [guide, hosts]],
  [`${countsForHours} hours`, [guide, reference, ofGuards, ofJournal]],
  [`${sameTextDays} days`, [campaigns, journal, guide]],
  [
    `${patience} minutes`,
    [campaigns, "docs/languages.md", "docs/operation.md", "docs/send-once.md"]
  ],
  [`up to ${guards["max-batch"].shownDefault}:`, [guide]],
  [`${guards["max-segments"].shownDefault} segments an SMS`, [guide]],
  [`${guards["max-sends-per-hour"].shownDefault} SMS in any hour`, [guide]],
  [`one request (${seconds} seconds)`, [core]],
  [`A run waits ${seconds} seconds for a response`, ["docs/languages.md"]],
  [`\`timeout\` (${timeout.default.toLocaleString("en")} ms)`, [journal]],
  [`\`concurrency\` (${campaignOptions.concurrency.default})`, [journal]],
  [`retries of a read (${readRetries.default});`, [core]],
  [`\`readRetries\` times (${readRetries.default})`, ["docs/errors.md"]],
  [`a response (${maxBodyBytes.default / 2 ** 20} MiB)`, [core]]
])("%j is in %j", (words, pages) => {
  for (const page of pages) {
    expect(readFileSync(page, "utf8").replaceAll(/\s+/g, " "), page).toContain(words)
  }
})
