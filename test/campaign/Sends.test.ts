/** What a person decides about, whoever sent it. Of the MCP server: `once/ServerJournal.test.ts`. */
import { expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import { layer } from "@messaging-topup/journal/open"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { alone, command, fileOf, onSandbox, texts } from "../harness/Command.ts"
import { contract } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"

/** Ends in a suffix for which nobody can tell whether the SMS went out. */
const lost = (index: number): string => `+155500${index}0500`

it.live("sends lists those of programs and campaigns, and resolve takes their ids and keys", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(`recipient,message,key\n${lost(10)},Hi,2\n`)
    const { baseUrl, token } = yield* Sandbox
    const service = Layer.provide(MessagingTopup.layer({ baseUrl, token }), NodeTransport.layer)
    const request = { recipient: lost(20), message: "Hi" }
    const sendOnce = Effect.flatMap(SendJournal, ({ sendOnce: once }) => once("2", request)).pipe(
      Effect.exit,
      Effect.provide(Layer.merge(service, layer(journal)))
    )
    yield* sendOnce
    yield* command(["run", file, "--yes", "--journal", journal])
    const sends = (...args: ReadonlyArray<string>) =>
      Effect.map(alone(["sends", ...args, "--journal", journal]), ({ events }) => events)
    const ofProgram = { event: "Send", key: "2", state: "unknown", message_id: [] }
    expect(yield* sends()).toMatchObject([
      ofProgram,
      { event: "Campaign", campaign: "rows", unknown: 1, sent: 0 }
    ])
    const [row, single] = yield* sends("--unknown")
    expect([row, single]).toMatchObject([{ ...ofProgram, campaign: "rows" }, ofProgram])
    expect(single).not.toHaveProperty("campaign")
    expect(yield* sends("--to", lost(10))).toMatchObject([{ campaign: "rows" }])

    const resolve = (...args: ReadonlyArray<string>) =>
      alone(["resolve", ...args, "--journal", journal])
    // Only the key of the program, and neither the row with this key nor the send with this id.
    expect((yield* resolve("--key", "2", "--sent")).events).toMatchObject([
      { changed: 1, meanwhile: 0 }
    ])
    expect(yield* sends("--unknown")).toMatchObject([{ campaign: "rows" }])
    const again = yield* resolve("--key", "2", "--sent")
    expect(again).toMatchObject({ code: 1, events: [{ changed: 0 }] })
    expect(again.stderr).toContain(
      `A row of the campaign "rows" has this key: give --id ${String(row?.["id"])}`
    )
    expect(yield* resolve("--id", String(row?.["id"]), "--resend")).toMatchObject({ code: 2 })
    expect(yield* resolve("--id", String(row?.["id"]), "--resend", "--yes")).toMatchObject({
      code: 0
    })
    expect(yield* sends("--unknown")).toEqual([])
    yield* command(["run", file, "--yes", "--journal", journal])
    expect(yield* texts).toHaveLength(0)
    const requests = yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.requests())
    expect(requests).toHaveLength(3)
    yield* sendOnce
    expect(yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.requests())).toHaveLength(3)
  }).pipe(onSandbox)
)

/** A number as a list had it, with the country of the run; as a person gives it; and whether this may be somebody else. */
const spellings: ReadonlyArray<
  readonly [string, ReadonlyArray<string>, string, isRespelled: boolean]
> = [
  ["01521 1110012", ["--country", "DE"], "01521 1110012", true],
  ["01521 1110012", ["--country", "DE"], "1521 1110012", true],
  ["01521 1110012", ["--country", "DE"], "+49 1521 1110012", false],
  ["01521 1110012", ["--country", "DE"], "0049 (1521) 1110012", false],
  ["0176 1230001", [], "+49 176 1230001", true],
  ["0176 1230001", [], "176 1230001", true],
  ["176 1230001", [], "0176 1230001", true],
  ["0803 123 4567", ["--country", "NG"], "0803 123 4567", true],
  ["8 (912) 345-67-89", ["--country", "RU"], "8 912 345 67 89", true]
]

it.live.each(spellings)(
  "sends --to finds what a run sent to %s with %j, as %s, too",
  ([recipient, country, asked, isRespelled]) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(`recipient,message\n${recipient},Hi\n`)
      yield* command(["run", file, "--yes", ...country, "--journal", journal])
      const found = yield* alone(["sends", "--to", asked, "--journal", journal])
      expect(found).toMatchObject({ code: 0, events: [{ campaign: "rows", state: "sent" }] })
      expect(found.stderr.includes("1 of them went to another spelling")).toBe(isRespelled)
      const other = yield* alone(["sends", "--to", "+4915211110013", "--journal", journal])
      expect(other).toMatchObject({ code: 0, events: [] })
    }).pipe(onSandbox)
)

it.live.each(["Zoë", "", "1,51E+10"])("sends --to %j is refused: it is no number", (given) =>
  Effect.gen(function* () {
    const { journal } = yield* fileOf("")
    const refused = yield* alone(["sends", "--to", given, "--journal", journal])
    expect(refused).toMatchObject({ code: 2, events: [] })
    expect(refused.stderr).toContain("--to: ")
  })
)

it.live("a send in flight is told of, and is no decision yet", () =>
  Effect.gen(function* () {
    const { journal } = yield* fileOf("")
    const { baseUrl, respondWith } = yield* responseServer
    const arrived = yield* Deferred.make<() => void>()
    respondWith((...received) => {
      const respond = () => reply(202, contract.sendSms.success)(...received)
      Deferred.doneUnsafe(arrived, Effect.succeed(respond))
    })
    const service = Layer.provide(
      MessagingTopup.layer({ baseUrl, token: Redacted.make("token"), timeout: "10 minutes" }),
      NodeTransport.layer
    )
    const sending = Effect.flatMap(SendJournal, ({ sendOnce }) =>
      sendOnce("1", { recipient: "+15550100123", message: "Hi" })
    ).pipe(Effect.provide(Layer.merge(service, layer(journal))))
    const fiber = yield* Effect.forkChild(sending)
    const respond = yield* Deferred.await(arrived)
    const listed = yield* alone(["sends", "--unknown", "--journal", journal])
    expect(listed).toMatchObject({ code: 0, events: [] })
    expect(listed.stderr).toContain(`No such send of unknown outcome is in the journal ${journal}`)
    const [, until = ""] =
      /1 send in flight: one whose process has ended becomes unknown by (\S+), so look again then/.exec(
        listed.stderr
      ) ?? []
    const [{ time } = { time: "" }] = (yield* alone(["sends", "--journal", journal])).events
    // The time-out of ten minutes, ten seconds until the request starts, and five until its outcome is written.
    expect(Date.parse(until) - Date.parse(String(time))).toBe(615_000)
    const to = (number: string) =>
      alone(["sends", "--unknown", "--to", number, "--journal", journal])
    expect((yield* to("+1 555 010 0123")).stderr).toContain("1 send in flight")
    expect((yield* to("+15550100124")).stderr).not.toContain("in flight")
    const resolved = yield* alone(["resolve", "--key", "1", "--sent", "--journal", journal])
    expect(resolved).toMatchObject({ code: 1, events: [{ event: "Resolved", changed: 0 }] })
    expect(resolved.stderr).toContain("One in flight has to become unknown first")
    respond()
    yield* Fiber.join(fiber)
  }).pipe(Effect.scoped)
)

/** What another person does while the question of the first one stands, and how the rows stand then. */
const meanwhile: ReadonlyArray<
  readonly [string, ReadonlyArray<ReadonlyArray<string>>, Readonly<Record<string, number>>]
> = [
  ["says that they went out", [["resolve", "--sent"]], { sent: 2 }],
  [
    "sends them again, and their outcome is unknown once more",
    [
      ["resolve", "--resend", "--yes"],
      ["run", "--yes"]
    ],
    { unknown: 2 }
  ]
]

it.live.each(meanwhile)(
  "an open question decides nothing if another person meanwhile %s",
  ([, acts, found]) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(`recipient,message\n${lost(10)},a\n${lost(20)},b\n`)
      const act = ([name = "", ...args]: ReadonlyArray<string>) =>
        command([name, file, ...args, "--journal", journal])
      const services = yield* Effect.context<Sandbox>()
      const others = Effect.forEach(acts, act)
      async function* answer() {
        await Effect.runPromiseWith(services)(others)
        yield "y\n"
      }
      yield* act(["run", "--yes"])
      const asked = yield* alone(["resolve", file, "--resend", "--journal", journal], {
        columns: 80,
        stdin: answer()
      })
      const requests = Effect.flatMap(Sandbox, (sandbox) => sandbox.requests())
      const { length } = yield* requests
      const [campaign] = (yield* alone(["sends", "--journal", journal])).events
      expect(campaign).toMatchObject(found)
      yield* act(["run", "--yes"])
      expect(yield* requests).toHaveLength(length)
      expect(asked).toMatchObject({
        code: 1,
        stdout: `0 rows changed in the journal ${journal}\n`
      })
      expect(asked.stderr).toContain("Not changed: 2 rows")
    }).pipe(onSandbox)
)
