import { expect, it } from "@effect/vitest"
import { exitCodes } from "@messaging-topup/command"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { notSent, type RowState, states } from "@messaging-topup/journal/internal"
import type { Event } from "messaging-topup/src/Events.ts"
import { invalidRow, repeated } from "messaging-topup/src/words/ResultWords.ts"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { alone, command, fileOf, onSandbox, texts } from "../harness/Command.ts"

const readme = readFileSync("packages/cli/README.md", "utf8")
const first = readFileSync("README.md", "utf8")
const guide = readFileSync("docs/campaigns.md", "utf8")

const wordsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word)

const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word)

it.live(
  "the commands of the README and of the guide end with exit code 0, with its list, of which none is unknown",
  () =>
    Effect.gen(function* () {
      const [, list = ""] = /```csv\n([^]*?)```/.exec(guide) ?? []
      const { file, journal } = yield* fileOf(list, "list.csv")
      const path = dirname(file)
      writeFileSync(join(path, "stop.txt"), "+15550100124\n")
      const lines = [...`${readme}\n${guide}`.matchAll(/^npx messaging-topup ([^#\n]*)/gm)]
      expect(lines.length).toBeGreaterThan(8)
      for (const [, line = ""] of lines) {
        const args = wordsOf(line).map((word) => (/\.\w+$/.test(word) ? join(path, word) : word))
        const answers = ["run", "resolve", "prune"].includes(args[0] ?? "") ? ["--yes"] : []
        const place = args.includes("--sandbox") ? [] : ["--journal", journal]
        const { code, stderr } = yield* command([...args, ...answers, ...place])
        const nothing = args[0] === "resolve" && stderr.includes("nothing was changed") ? 1 : 0
        expect(`${line.trim()}: ${code} ${code === nothing ? "" : stderr}`).toBe(
          `${line.trim()}: ${nothing} `
        )
      }
      expect((yield* texts).toSorted()).toEqual([
        "Thank you",
        "Your parcel arrives tomorrow",
        "Your parcel is at the door"
      ])
    }).pipe(onSandbox)
)

it.live("the list of the first page is tried as it stands", () =>
  Effect.gen(function* () {
    const [, line = ""] = /^npx -y pnpm@12 messaging-topup (run [^#\n]*)/m.exec(first) ?? []
    const { code, events } = yield* alone([...wordsOf(line), "--yes"])
    expect({ code, sent: events.at(-1)?.["sent"] }).toEqual({ code: 0, sent: 2 })
  })
)

it.live("the README has every command and its options", () =>
  Effect.gen(function* () {
    const { stdout: list } = yield* alone(["--help"])
    const names = [...list.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name = ""]) => name)
    expect(names.length).toBeGreaterThan(5)
    for (const name of names) {
      expect(readme).toMatch(new RegExp(`^\\| [^|]*\`${name}\\b`, "m"))
      // Its page is that of the sandbox.
      if (name === "sandbox") continue
      const { stdout } = yield* alone([name, "--help"])
      // What an option does in a run, its help does not say of the others.
      if (name !== "run") expect(stdout).not.toMatch(/^ {6}(?:Sends|.*and sends|.*quiet hours)/m)
      const options = stdout.match(/^ {2}--[\w-]+/gm)?.map((option) => option.trim()) ?? []
      expect(options.length).toBeGreaterThan(2)
      expect(
        options.filter((option) => !readme.includes(option) && !/help|version/.test(option))
      ).toEqual([])
    }
  })
)

it("the README has every exit code", () => {
  const [line = ""] = /^Exit codes: [^]*?\n\n/m.exec(readme) ?? []
  const named = new Set(line.match(/\d+/g)?.map(Number))
  expect(named).toEqual(new Set(Object.values(exitCodes)))
})

it.live("help and pages say that exit code 1 may be about the output alone", () =>
  Effect.gen(function* () {
    const { stdout: help } = yield* alone(["run", "--help"])
    const page = readFileSync("docs/operation.md", "utf8")
    const places = [
      /^Exit codes: [^]*? 1 ([^]*?); 2 /m.exec(help)?.[1]?.replaceAll(/\s+/g, " "),
      /^Exit codes: .*? 1 (.*?), 2 /m.exec(readme)?.[1],
      /^\| `run` does not end with 0, or in its usual time \|(.*)/m.exec(page)?.[1]
    ]
    expect(places.filter((words) => !words?.includes("could not write its output"))).toEqual([])
    expect(places.slice(1).filter((words) => !words?.includes("sent"))).toEqual([])
  })
)

it("the guide has every outcome, and the page of the journal every state that is stored", () => {
  const words = Object.values(states).map(({ word }) => word)
  const namesBelow = (head: string, page: string) => {
    const [rows = ""] = page.split(`| ${head} |`)[1]?.split("\n\n") ?? []
    const cells = rows.match(/^\| `[^|]*/gm)?.flatMap((cell) => cell.match(/[a-z][a-z ]*/g) ?? [])
    return new Set(cells?.map((name) => name.trim()).filter(Boolean))
  }
  const outcomes = namesBelow("Outcome | What became of the row | What you do", guide)
  expect(outcomes).toEqual(
    new Set([...words, invalidRow, notSent, repeated, "changed" satisfies RowState])
  )
  const journal = readFileSync("packages/journal/README.md", "utf8")
  const stored = namesBelow("State | Because | The next `sendOnce`", journal)
  expect(stored).toEqual(new Set(words.filter((word) => word !== states["in-flight"].word)))
})

it.live("the page for operators says of each decision what the help does", () =>
  Effect.gen(function* () {
    const page = readFileSync("docs/operation.md", "utf8")
    const { stdout } = yield* alone(["resolve", "--help"])
    const meanings = [...stdout.matchAll(/^ {6}Each ([^.\n]+)/gm)].map(
      ([, words]) => `# it ${words}`
    )
    expect(meanings).toHaveLength(3)
    expect(meanings.filter((meaning) => !page.includes(`${meaning}\n`))).toEqual([])
  })
)

it.live("the pages for operators and of campaigns say which decisions ask first", () =>
  Effect.gen(function* () {
    const decisions = ["--sent", "--not-sent", "--resend"]
    const asking = yield* Effect.filter(decisions, (decision) =>
      Effect.gen(function* () {
        const { file, journal } = yield* fileOf("recipient,message\n+15550000900,Hello\n")
        const place = ["--journal", journal]
        expect((yield* command(["run", file, "--yes", ...place])).code).toBe(3)
        const terminal = { columns: 80, stdin: ["n\n"] }
        const ended = yield* command(["resolve", file, decision, ...place], terminal)
        expect(ended.stdout + ended.stderr).toMatch(/1 row changed|Nothing was changed/)
        return ended.code !== 0
      })
    )
    const options = "((?:`--[a-z-]+`(?:, | and )?)+)"
    for (const [file, sentence] of [
      ["docs/operation.md", `Only ${options} asks? first`],
      ["docs/campaigns.md", `${options}, which asks? first`]
    ] as const) {
      const [, named = ""] = new RegExp(sentence).exec(readFileSync(file, "utf8")) ?? []
      expect(named.match(/--[a-z-]+/g), file).toEqual(asking)
    }
  }).pipe(onSandbox)
)

it.live("the question of a run names the service, as the guide says", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Sandbox
    const { file, journal } = yield* fileOf("recipient,message\n+15550000123,Hello\n")
    const terminal = { columns: 80, stdin: ["n\n"] }
    const asked = yield* command(["run", file, "--journal", journal], terminal)
    const question = /^Send .*\?/m.exec(asked.stdout + asked.stderr)?.[0]
    const names = question?.includes(new URL(baseUrl).host) ?? false
    expect(guide.includes("The question names the service.")).toBe(names)
    expect(question).toBeDefined()
  }).pipe(onSandbox)
)

/** Every field of every event: the compiler asks for each, also for those that are not always there. */
const fields: {
  readonly [E in Event["event"]]: Readonly<
    Record<Exclude<keyof Extract<Event, { readonly event: E }>, "event">, true>
  >
} = {
  Sandbox: { base_url: true },
  InvalidRow: { line: true, field: true, problem: true, state: true },
  Repeated: { line: true, field: true, problem: true },
  Changed: { line: true, state: true, problem: true },
  Totals: {
    encoding: true,
    rows: true,
    invalid: true,
    excluded: true,
    repeated_recipients: true,
    left_out: true
  },
  Compared: {
    service: true,
    journal: true,
    to_send: true,
    segments: true,
    sent: true,
    unknown: true,
    rejected: true,
    closed: true,
    in_flight: true,
    changed: true,
    recipients_of_this_campaign: true,
    same_sms_before: true,
    scheduled_in_past: true,
    scheduled_in_quiet_hours: true,
    scheduled_unchecked: true
  },
  Settled: { sent: true, rejected: true, unknown: true, not_sent: true },
  Waiting: { why: true, until: true },
  GoesOn: {},
  WaitingForOthers: { rows: true },
  JournalLost: { problem: true },
  JournalBack: {},
  JournalReplaced: { missing: true },
  OutcomesLost: { rows: true },
  Interrupted: {
    campaign: true,
    sent_now: true,
    sent: true,
    rejected: true,
    unknown: true,
    in_flight: true
  },
  Ended: {
    campaign: true,
    state: true,
    sent_now: true,
    stop: true,
    sent: true,
    rejected: true,
    unknown: true,
    closed: true,
    changed: true,
    repeated: true,
    in_flight: true,
    not_sent: true,
    invalid: true
  },
  Report: { campaign: true, file: true },
  Send: {
    id: true,
    time: true,
    state: true,
    caller: true,
    campaign: true,
    key: true,
    message_id: true
  },
  Campaign: {
    campaign: true,
    sent: true,
    unknown: true,
    rejected: true,
    closed: true,
    freed: true,
    in_flight: true
  },
  Resolved: {
    journal: true,
    as: true,
    changed: true,
    meanwhile: true,
    other_sms: true,
    need_again: true
  },
  Pruned: { campaign: true, rows: true, sends: true },
  Created: { journal: true },
  Begun: { journal: true },
  Accepted: { journal: true }
}

it("the README has a list of all JSON lines, with their fields", () => {
  const [, list = ""] = /^## JSON lines$([^]*?)^## /m.exec(readme) ?? []
  const documented = [...list.matchAll(/^\| `([A-Z]\w+)` \|[^|]*\|(.*)\|$/gm)].map(
    ([, name = "", of = ""]) => [name, wordsIn(of.replaceAll(/\([^)]*\)/g, ""))] as const
  )
  const known = Object.entries(fields).map(([name, of]) => [name, Object.keys(of)])
  expect(documented).toEqual(known)
})

type Of<E extends Event["event"]> = Extract<Event, { readonly event: E }>

/** Every word that these fields can have: the compiler asks for each. */
const whys: Readonly<Record<Of<"Waiting">["why"], true>> = {
  "no-connection": true,
  "quiet-hours": true,
  "slow-down": true
}
const ends: Readonly<Record<Of<"Ended">["state"], true>> = { finished: true, stopped: true }

it.each([
  ["Waiting", "why", whys],
  ["Ended", "state", ends]
])("the README has of %s each word of `%s`", (event, field, words) => {
  const [, listed = ""] =
    new RegExp(`^\\| \`${event}\` .*\`${field}\` \\((.*?)\\)`, "m").exec(readme) ?? []
  expect(listed.split(", ")).toEqual(Object.keys(words).map((word) => `\`${word}\``))
})
