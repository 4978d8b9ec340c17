import { describe, expect, it } from "@effect/vitest"
import {
  argument,
  choice,
  count,
  duration,
  general,
  helpOf,
  list,
  number,
  on,
  parse,
  text,
  withDefault
} from "@messaging-topup/command"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { alone } from "../harness/Command.ts"
import { durations, noDurations } from "../harness/Durations.ts"

const options = {
  ...general,
  file: argument("rows.csv", "A file"),
  campaign: text("id", "", "The campaign"),
  maxFailures: number("count", "100", "Maximum failures"),
  port: count("port", { default: 8080, minimum: 0, maximum: 65_535 }, "The port"),
  host: withDefault(text("host", "", "The host"), "localhost"),
  window: duration({ minimum: "0 seconds", maximum: "24 days" }, "The window"),
  format: choice(["csv", "ndjson"], "by its extension", "The format"),
  key: list("key", "all", "Keys"),
  yes: on("Skip the question")
}

const read = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(parse({ options }, args), ({ values }) => values)

const refused = (...args: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(read(...args)), ({ message }) => message)

const needed = ["rows.csv", "--campaign", "spring"]

describe("the values of options", () => {
  it.effect("are their defaults if the options are absent", () =>
    Effect.gen(function* () {
      expect(yield* read(...needed)).toEqual({
        help: false,
        version: false,
        file: "rows.csv",
        campaign: "spring",
        maxFailures: undefined,
        port: 8080,
        host: "localhost",
        window: undefined,
        format: undefined,
        key: undefined,
        yes: false
      })
    })
  )

  it.effect("have the types of their options, and the names are written with hyphens", () =>
    Effect.gen(function* () {
      const given = ["--max-failures=2.5", "--port", "0", "--window", "1 hour", "--format", "csv"]
      const keys = ["--key", "a", "--key=-b", "--yes=false", "--yes"]
      expect(yield* read(...needed, ...given, ...keys)).toMatchObject({
        maxFailures: 2.5,
        port: 0,
        window: Duration.hours(1),
        format: "csv",
        key: ["a", "-b"],
        yes: true
      })
    })
  )

  it.effect("are refused with the name of the option, and are never repeated", () =>
    Effect.gen(function* () {
      for (const [args, problem] of [
        [["--port", "70000"], "--port: give a whole number from 0 to 65535"],
        [["--max-failures", "1e3"], "--max-failures: give a number"],
        [
          ["--window", "25 days"],
          '--window: give a duration from 0 seconds to 24 days, such as "10 minutes"'
        ],
        [["--format", "xml"], "--format: give csv or ndjson"],
        [["--yes=secret"], "--yes: give true or false"],
        [["--host"], "--host: give a value; write one that begins with - after a ="],
        [["--host", "--yes"], "--host: give a value; write one that begins with - after a ="],
        [["--host=a", "--host=b"], "--host: give it once"],
        [["--hots=secret"], "--hots: there is no such option; did you mean --host?"],
        [
          ["secret"],
          "There are too many arguments after --campaign, which takes one value: write a text with blanks in quotes"
        ],
        [
          ["--yes", "secret", "secret"],
          "There are too many arguments after --yes, which takes no value"
        ],
        [
          ["--yes", "secret", "--host=a"],
          "There are too many arguments after --yes, which takes no value"
        ]
      ] as const) {
        expect(yield* refused(...needed, ...args)).toBe(problem)
      }
      expect(yield* refused("--campaign", "spring")).toBe("<rows.csv>: it is missing")
      expect(yield* refused("rows.csv", "secret", "--campaign", "spring")).toBe(
        "There are too many arguments: give <rows.csv> alone"
      )
    })
  )
})

it.effect.each(Object.entries(durations))("%o is a duration of %i ms", ([given, millis]) =>
  Effect.map(read(...needed, "--window", given), ({ window }) =>
    expect(window).toEqual(Duration.millis(millis))
  )
)

it.effect.each(noDurations)("%o is no duration", (given) =>
  Effect.map(refused(...needed, `--window=${given}`), (problem) =>
    expect(problem).toMatch(/^--window: give a duration/)
  )
)

it.live("help and the version are printed, whatever else is given", () =>
  Effect.gen(function* () {
    const run = (...args: ReadonlyArray<string>) => alone(["sandbox", ...args])
    expect((yield* run("--port", "wrong", "-h")).stdout).toMatch(/^Usage: messaging-topup sandbox/)
    expect((yield* run("--version", "a", "b")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
)

it.live.each([
  [["--nope"]],
  [["--port", "65536"]],
  [["--host", ""]],
  [["--token", "two words"]],
  [["--token", ""]],
  [["--max-messages", "0"]],
  [["--max-requests", "-1"]]
] as const)("the sandbox is not started with %j", ([args]) =>
  Effect.gen(function* () {
    expect(yield* alone(["sandbox", ...args])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("See messaging-topup sandbox --help")
    })
  })
)

it.live("a port that is in use is an error that says what to do", () =>
  Effect.gen(function* () {
    const { port } = new URL((yield* Sandbox).baseUrl)
    expect(yield* alone(["sandbox", "--port", port])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`port ${port}: the port is in use`)
    })
  }).pipe(Effect.provide(Sandbox.layer()))
)

it("the help has the value and the default of each option", () => {
  const { campaign, file, host, maxFailures, yes } = options
  expect(helpOf({ file, campaign, maxFailures, host, yes })).toBe(`\
  <rows.csv>
      A file
  --campaign <id>
      The campaign
  --max-failures <count>
      Maximum failures (default: 100)
  --host <host>
      The host (default: localhost)
  --yes
      Skip the question`)
})
