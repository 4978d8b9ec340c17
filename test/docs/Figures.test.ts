/** The pages, and docstrings, give the defaults, the limits and the times of the code. */
import { expect, it } from "@effect/vitest"
import { countsForHours, patienceMinutes, sameTextDays } from "@messaging-topup/journal/internal"
import { maxAlike, maxInARow, maxNobody } from "@messaging-topup/journal/src/many/StopRule.ts"
import { deadlineMillis } from "@messaging-topup/journal/src/Write.ts"
import { silence } from "@messaging-topup/mcp-server/src/mcp/Progress.ts"
import { groups } from "@messaging-topup/mcp-server/src/Options.ts"
import { confirmTimeout, shortestReading } from "@messaging-topup/mcp-server/src/send/Approval.ts"
import { longestCall, shutdownGrace } from "@messaging-topup/mcp-server/src/send/Dispatch.ts"
import * as Sessions from "@messaging-topup/mcp-server/src/serve/http/Sessions.ts"
import { maxRecipients } from "@messaging-topup/mcp-server/src/tools/ListRecentSends.ts"
import * as Duration from "effect/Duration"
import { options as sandboxOptions } from "messaging-topup/src/commands/Sandbox.ts"
import { readFileSync } from "node:fs"
import { connectionOptions, serviceOptions } from "../../packages/core/src/call/OptionChecks.ts"
import {
  baseMillis,
  maxRetryAfterSeconds,
  sendRetries
} from "../../packages/core/src/call/Retry.ts"
import { table as campaignOptions } from "../../packages/journal/src/many/Settings.ts"
import { limit as bodyLimit } from "../../packages/sandbox/src/http/Body.ts"
import { defaultLimit } from "../../packages/sandbox/src/kept/Newest.ts"
import { maxPage, maxWaitSeconds } from "../../packages/sandbox/src/Schemas.ts"

const guards = groups["What may be sent"]
const { maxBodyBytes, readRetries, timeout } = serviceOptions
const seconds = timeout.default / 1000

const words = "no one two three four five six seven eight nine ten eleven twelve".split(" ")
const port = sandboxOptions.port.shownDefault

const architecture = "docs/architecture.md"
const errors = "docs/errors.md"
const guide = "docs/mcp.md"
const team = "docs/mcp-team.md"
const hosts = "docs/hosts.md"
const reference = "docs/mcp-reference.md"
const campaigns = "docs/campaigns.md"
const core = "packages/core/README.md"
const journal = "packages/journal/README.md"
const sandbox = "packages/sandbox/README.md"
const inCore = "packages/core/src/call/Options.ts"
const inJournal = "packages/journal/src/model/Campaign.ts"
const ofGuards = "docs/decisions/0007-guards-of-the-mcp-server.md"
const ofRule = "docs/decisions/0010-one-rule-for-every-send.md"
const ofJournal = "docs/decisions/0008-the-journal-of-the-mcp-server.md"

it.each([
  [`${Duration.toSeconds(longestCall)} seconds`, [guide, hosts, ofGuards]],
  [`${Duration.toMinutes(confirmTimeout)} minutes`, [guide, hosts]],
  [`for ${words[Duration.toMinutes(confirmTimeout)]} minutes`, [architecture]],
  [
    `within ${Duration.toMillis(shortestReading)} ms`,
    [guide, reference, ofGuards, "packages/mcp-server/src/Log.ts"]
  ],
  [`${Duration.toSeconds(shutdownGrace)} seconds`, [team, "packages/mcp-server/Dockerfile"]],
  [`every ${Duration.toSeconds(silence)} seconds`, [reference, ofGuards]],
  [
    `${countsForHours} hours`,
    [guide, reference, ofGuards, ofJournal, "docs/operation.md", architecture]
  ],
  [`${sameTextDays} days`, [campaigns, journal, guide]],
  [
    `${words[patienceMinutes]} minutes`,
    [campaigns, "docs/languages.md", "docs/operation.md", "docs/send-once.md", inJournal]
  ],
  [`up to ${guards["max-batch"].shownDefault}:`, [guide]],
  [`${guards["max-segments"].shownDefault} segments an SMS`, [guide]],
  [`${guards["max-sends-per-hour"].shownDefault} SMS in any hour`, [guide]],
  [`one request (${seconds} seconds)`, [core]],
  [`A run waits ${seconds} seconds for a response`, ["docs/languages.md"]],
  [`\`timeout\` (${timeout.default.toLocaleString("en")} ms)`, [journal]],
  [`\`concurrency\` (${campaignOptions.concurrency.default})`, [journal]],
  [`retries of a read (${readRetries.default});`, [core]],
  [`| \`readRetries\` (${readRetries.default}) | ${sendRetries} |`, [errors]],
  [`a response (${maxBodyBytes.default / 2 ** 20} MiB)`, [core]],
  [`is in milliseconds. Default: ${seconds} seconds.`, [inCore]],
  [`once its request started. Default: ${readRetries.default}.`, [inCore]],
  [`in bytes. Default: ${maxBodyBytes.default / 2 ** 20} MiB.`, [inCore]],
  [`wait for a free one. Default: ${connectionOptions.connections.default}.`, [inCore]],
  [`that number. Default: ${campaignOptions.concurrency.default}.`, [inJournal]],
  [`at most ${baseMillis} ms, ${baseMillis * 2} ms and so on`, [errors]],
  // A minute is the only length that has an article.
  [`more than ${maxRetryAfterSeconds === 60 ? "a minute" : maxRetryAfterSeconds},`, [errors]],
  [`the first ${words[maxAlike]} SMS fail alike`, [campaigns]],
  [`after ${words[maxNobody]} responses in a row that accepted nobody`, [campaigns]],
  [`after ${maxInARow} failures in a row`, [campaigns]],
  [`within ${words[deadlineMillis / 1000]} seconds`, [journal, ofRule]],
  [`up to ${maxRecipients} \`recipients\``, [guide]],
  [
    `at most ${Sessions.maximum.ofAll.toLocaleString("en")}, and ${Sessions.maximum.ofCaller} of each caller`,
    [team]
  ],
  [`pages of ${defaultLimit}, or \`limit\` up to ${maxPage.toLocaleString("en")},`, [sandbox]],
  [`\`wait_seconds\` (whole, at most ${maxWaitSeconds})`, [sandbox]],
  [`a body over ${bodyLimit / 1024} KiB 413`, [sandbox]],
  [`As UTF-8, at most ${bodyLimit / 1024} KiB.`, ["packages/sandbox/src/Types.ts"]],
  [`\`--port\` (${port}, or a free one with 0)`, [sandbox]],
  [
    `http://127.0.0.1:${port}`,
    [
      sandbox,
      "README.md",
      "docs/first-message.md",
      "docs/languages.md",
      "examples/sandbox/first.sh",
      "examples/sandbox/force.sh"
    ]
  ]
])("%j is in %j", (said, pages) => {
  for (const page of pages) {
    // A docstring has a star at the beginning of each line.
    expect(readFileSync(page, "utf8").replaceAll(/\s+(?:\* )?/g, " "), page).toContain(said)
  }
})
