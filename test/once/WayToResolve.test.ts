/** An error of a program says how a person decides about its send: in its journal, and about no send of another one. */
import { expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { OutcomeUnknown, SendClosed, SendJournal, type SendKey } from "@messaging-topup/journal"
import { layer } from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { alone, command, makeJournal, onSandbox } from "../harness/Command.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const sms = { recipient: "+15550101234", message: "Hello" }

/** What the shell makes of a line that a person copies from an error. */
const argumentsOf = (message: string): ReadonlyArray<string> => {
  const line = /messaging-topup (resolve .*)$/.exec(message)?.[1] ?? ""
  return execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
    .split("\n")
    .slice(0, -1)
}

it.live.each([
  "order-1",
  "order 1",
  "it's $HOME",
  "-x",
  "+15550101234",
  "a\u200bb",
  { campaign: "c", key: "k" }
])("the line of the error decides about the send of %j alone, wherever its journal is", (key) =>
  Effect.gen(function* () {
    const path = join(temporaryFolder(), "it's here", "journal.sqlite")
    mkdirSync(dirname(path))
    const other = join(temporaryFolder(), "journal.sqlite")
    // @ts-expect-error -- no response
    const sendSms: MessagingTopup["Service"]["sendSms"] = () => Effect.succeed({})
    const service = Layer.mock(MessagingTopup, { sendSms, timeoutMillis: 30_000 })
    const send = (file: string, of: SendKey) =>
      Effect.flatMap(SendJournal, ({ sendOnce }) => Effect.flip(sendOnce(of, sms))).pipe(
        Effect.provide([service, layer(file)])
      )
    const resolve = (message: string, ...more: ReadonlyArray<string>) =>
      alone([...argumentsOf(message), ...more], { env: { MESSAGING_TOPUP_JOURNAL: other } })
    yield* send(other, "another")
    const unknown = yield* send(path, key)
    expect(unknown._tag).toBe("OutcomeUnknown")
    expect((yield* resolve(unknown.message, "--not-sent")).events).toMatchObject([
      { event: "Resolved", journal: path, changed: 1 }
    ])
    const closed = yield* send(path, key)
    expect(closed._tag).toBe("SendClosed")
    expect((yield* resolve(closed.message, "--yes")).events).toMatchObject([
      { journal: path, as: "resend", changed: 1 }
    ])
    for (const { message } of [unknown, closed]) {
      // oxlint-disable-next-line no-control-regex
      expect(message).not.toMatch(/[\0-\x1f]|5550101234/)
    }
  })
)

it.live("each line of the command names the journal of the variable, as of the option", () =>
  Effect.gen(function* () {
    const [journal, other] = [
      join(temporaryFolder(), "it's here.sqlite"),
      join(temporaryFolder(), "journal.sqlite")
    ]
    for (const file of [journal, other]) yield* makeJournal(file)
    const list = join(temporaryFolder(), "list.csv")
    writeFileSync(list, "key,recipient,message\norder-2,+15551234567,Hello\n")
    const names = join(temporaryFolder(), "names.csv")
    writeFileSync(names, "name\nAnn\n")
    const on = (file: string, args: ReadonlyArray<string>, token = {}) =>
      command([...args, "--campaign", "orders"], {
        env: { MESSAGING_TOPUP_JOURNAL: file, ...token },
        ...(args[1] === "-" || args[0] === "report" ? {} : { columns: 80 }),
        stdin: ["key,recipient,message\norder-1,+15550000500,Hello\n"]
      })
    const pipe = ["run", "-", "--yes"]
    yield* on(other, pipe)
    const ended = [
      yield* on(journal, pipe),
      yield* on(journal, pipe),
      yield* on(journal, ["run", list, "--yes"], { MESSAGING_TOPUP_TOKEN: "wrong" }),
      yield* on(journal, ["run", list, "--yes"]),
      yield* on(journal, ["results", list]),
      yield* on(journal, ["report", list]),
      yield* on(journal, ["results", names])
    ]
    const lines = ended.flatMap(
      ({ stderr, stdout }) =>
        (stdout + stderr).replaceAll("&#39;", "'").match(/npx messaging-topup (?:(?!npx ).)*/g) ??
        []
    )
    expect(lines.map((line) => line.split(" ")[2])).toEqual([
      "resolve",
      "resolve",
      "results",
      "report",
      "run",
      "results",
      "report",
      "sends",
      "resolve",
      "resolve",
      "resolve",
      "resolve",
      "results"
    ])
    for (const line of lines) {
      expect(line).toContain(`--journal '${journal.replace("'", String.raw`'\''`)}'`)
    }
    const decided = yield* alone([...argumentsOf(lines[0] ?? ""), "--not-sent"], {
      env: { MESSAGING_TOPUP_JOURNAL: other }
    })
    expect(decided.events).toMatchObject([{ event: "Resolved", journal, changed: 1 }])
  }).pipe(onSandbox)
)

it("of PostgreSQL, the line is refused without the URL of the journal, and names the key", () => {
  const named = { id: 17, journal: "PostgreSQL db.example/sms", key: "order-1" }
  const line = "npx messaging-topup resolve --journal postgres --key order-1"
  const where = ", with the URL of PostgreSQL db.example/sms in MESSAGING_TOPUP_JOURNAL"
  expect(new OutcomeUnknown({ ...named, since: 0 }).message).toContain(line + where)
  expect(new SendClosed(named).message).toContain(`${line} --was not-sent --resend${where}`)
})
