/** docs/errors.md says of each error what the code says. */
import { expect, it } from "@effect/vitest"
import { isSafeToResend, UndocumentedStatus } from "@messaging-topup/core"
import * as errors from "@messaging-topup/core/internal/errors"
import { globSync, readFileSync } from "node:fs"
import { endpoints } from "../../packages/core/src/operations/Endpoints.ts"
import { clientFailures } from "../harness/Contract.ts"
import { type Failure, failures } from "../harness/failures.ts"

const page = readFileSync("docs/errors.md", "utf8")
/** Those of a send: what a read fails with says nothing of an SMS. */
const ofSend = endpoints.sendSms.errors

const everyStatus = Array.from({ length: 400 }, (_, index) => 200 + index)

/** The statuses that a page names in a sentence, such as `429 or 503`. */
const statusesIn = (file: string, sentence: RegExp) => {
  const [, listed = ""] = sentence.exec(readFileSync(file, "utf8").replaceAll(/\s+/g, " ")) ?? []
  return listed.match(/\d{3}/g)?.map(Number)
}

/** The cells of the table below this line of its head, each row by its first cell. */
const table = (head: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const [, rows = ""] = page.split(`| ${head} |`)[1]?.match(/^.*\n\|[ -|]*\n((?:\|.*\n)+)/) ?? []
  const cells = rows
    .trimEnd()
    .split("\n")
    .map((row) => row.slice(2, -2).split(" | "))
  return new Map(cells.map(([first = "", ...others]) => [first, others]))
}

const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name)

it("the documented errors are those of each operation", () => {
  const operations = Object.keys(endpoints)
  const rows = [...table("Error | Operations")].flatMap(([found, [given = ""]]) => {
    const those = given === "all" ? operations : namesIn(given)
    return those.flatMap((operation) =>
      [...found.matchAll(/`(\w+)` \((\d+)\)/g)].map(
        ([, tag, status]) => `${operation}: ${tag} ${status}`
      )
    )
  })
  const declared = Object.values(endpoints).flatMap(({ errors: classes, name }) =>
    classes.map(({ status, tag }) => `${name}: ${tag} ${status}`)
  )
  expect(rows.toSorted()).toEqual(declared.toSorted())
})

it("all also fail with the client failures", () => {
  expect([...table("Error | What happened").keys()].flatMap(namesIn)).toEqual(clientFailures)
})

it("a documented status means what the first table says", () => {
  const outcomes = table("Outcome | When | What to do")
  const notSent = outcomes.get('`"not-sent"`')?.[0] ?? ""
  const [, listed = ""] = /the documented ([\d, ]+)/.exec(notSent) ?? []
  const statuses = ofSend.filter(({ sendOutcome }) => sendOutcome === "not-sent")
  expect(listed.split(", ").map(Number)).toEqual(statuses.map(({ status }) => status))
  const unknown = outcomes.get('`"unknown"`')?.[0] ?? ""
  const tags = ofSend.filter(({ sendOutcome }) => sendOutcome === "unknown").map(({ tag }) => tag)
  expect(namesIn(unknown)).toEqual(expect.arrayContaining(tags))
  const named = new Set([...outcomes.values()].flatMap(([when = ""]) => namesIn(when)))
  expect([...named]).toEqual(expect.arrayContaining(clientFailures))
})

it("what concerns a request alone is what a journal stores as rejected, as its page says", () => {
  const journal = readFileSync("packages/journal/README.md", "utf8")
  const [, listed = ""] =
    /the service refused this request \(([\d, ]+), invalid input\)/.exec(journal) ?? []
  const ofRequest = ofSend.filter(({ concerns }) => concerns === "request")
  expect(listed.split(", ").map(Number)).toEqual(ofRequest.map(({ status }) => status))
})

it("what concerns the account is what a journal does not store, and what needs the operator, as the pages say", () => {
  const journal = readFileSync("packages/journal/README.md", "utf8")
  const [, refused = ""] = /the service refused everybody \(([\d, ]+)\)/.exec(journal) ?? []
  const operation = readFileSync("docs/operation.md", "utf8")
  const [alert = ""] = /^\| a line of the server's .*"level":"error"`.*$/m.exec(operation) ?? []
  const told = alert
    .match(/`(?:"http_status":)?\d{3}`/g)
    ?.map((each) => Number(each.match(/\d{3}/)?.[0]))
  const ofAccount = ofSend.filter(({ concerns }) => concerns === "account")
  const statuses = ofAccount.map(({ status }) => status)
  expect(refused.split(", ").map(Number)).toEqual(statuses)
  expect(told?.toSorted()).toEqual(statuses)
})

const list = String.raw`((?:\d{3}(?:, | or )?)+)`

it("the alert of a service that is not reached names the failures of a request that does not start", () => {
  const operation = readFileSync("docs/operation.md", "utf8")
  const [, alert = ""] =
    /^\| several lines of its log in a row have (.*?) \|/m.exec(operation) ?? []
  const named = [...alert.matchAll(/"(\w+)"`/g)].map(([, tag]) => tag)
  const unreached = [
    new errors.ConnectionFailed({ operation: "sendSms" }),
    new errors.RequestTimedOut({ operation: "sendSms", started: false, timeoutMillis: 1 })
  ]
  expect(named).toEqual(unreached.map(({ _tag }) => _tag))
  expect(unreached.map(({ sendOutcome }) => sendOutcome)).toEqual(["not-sent", "not-sent"])
})

it("what is retried is what another request may end otherwise", () => {
  const [row = "", ...others] = [
    ...table("After | Retries of a read | Retries of a send").keys()
  ].toReversed()
  const listed = row.match(/\b\d{3}\b/g)?.map(Number) ?? []
  const retried = everyStatus.filter((status) =>
    errors.isRetryable({ _tag: "UndocumentedStatus", status })
  )
  expect(listed).toEqual(retried)
  const docstring = "packages/core/src/call/Options.ts"
  expect(statusesIn(docstring, new RegExp(`a time-out, ${list}\\.`)), docstring).toEqual(retried)
  const retryable = clientFailures.filter((_tag) => errors.isRetryable({ _tag }))
  expect(new Set([row, ...others].flatMap(namesIn))).toEqual(new Set(retryable))
})

it.each([
  ["docs/errors.md", `UndocumentedStatus\` ${list} \\| correct`],
  ["docs/errors.md", `UndocumentedStatus\` ${list}, once its`],
  ["docs/languages.md", `\\| ${list}; or `],
  ["packages/journal/README.md", `was busy \\(${list}\\)`],
  ["packages/core/AGENTS.md", `\`retryAfterSeconds\` of a ${list} are over`],
  ["packages/core/src/errors/Failure.ts", `UndocumentedStatus\` ${list}, \\* whose`]
])("%s names the undocumented statuses after which an SMS may be sent again", (file, said) => {
  const failed = everyStatus.map(
    (status) => new UndocumentedStatus({ operation: "sendSms", status, body: "" })
  )
  const notSent = failed.filter(({ sendOutcome }) => sendOutcome === "not-sent")
  expect(notSent.filter(isSafeToResend)).toEqual(notSent)
  expect(statusesIn(file, new RegExp(said))).toEqual(notSent.map(({ status }) => status))
})

/** The statuses that mean this for the rows that follow. */
const after = (means: Failure["next"]) =>
  failures.flatMap(([, { next, row, status }]) =>
    next === means && typeof status === "number" ? [{ row, status }] : []
  )

it.each([
  ["packages/journal/README.md", `tries a ${list} twice`],
  ["docs/languages.md", `and ${list}, which it tries twice`]
])("%s says which statuses a run tries twice", (file, said) => {
  const twice = failures.flatMap(([, { next, row, status }]) =>
    row === "rejected" && next === undefined && typeof status === "number" ? [status] : []
  )
  expect(statusesIn(file, new RegExp(said))).toEqual(twice)
})

it.each([
  ["docs/campaigns.md", `but not with ${list}`],
  ["packages/journal/src/model/Campaign.ts", `\\* by an? ${list}, so that`]
])("%s says which statuses are about a row alone", (file, said) => {
  expect(statusesIn(file, new RegExp(said))).toEqual(
    after("isAboutRow").map(({ status }) => status)
  )
})

it("pages say while which statuses a run waits, and while which without limit", () => {
  const busy = after("slowDown")
  const all = new Set(busy.map(({ status }) => status))
  expect(
    new Set(statusesIn("docs/campaigns.md", new RegExp(`waits while the service says ${list}`)))
  ).toEqual(all)
  const without = new Set(busy.filter(({ row }) => row === "nothing").map(({ status }) => status))
  for (const [file, said] of [
    ["docs/send-once.md", `While the service says ${list}, it waits without limit`],
    ["docs/languages.md", `without end while the service says ${list}`],
    ["docs/campaigns.md", `for ${list} without end`],
    ["docs/operation.md", `it waits, without end for ${list};`]
  ] as const) {
    expect(new Set(statusesIn(file, new RegExp(said))), file).toEqual(without)
  }
})

it.each(globSync("examples/{,engines/}*.{ts,cjs}"))(
  "%s asks an error whether an SMS went out, and no status",
  (file) => {
    expect(readFileSync(file, "utf8")).not.toMatch(/\b(?:202|[45]\d\d)\b/)
  }
)
