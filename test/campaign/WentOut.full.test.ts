/**
 * What a program goes by that gives the command one order at a time: whether it went out as it is now, whatever became of it
 * before, and whatever it is now.
 */
import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { command, fileOf, onSandbox } from "../harness/Command.ts"

/** The fields of `Ended` that docs/languages.md names, with what they have if the order went out. */
const rule = (() => {
  const page = readFileSync("docs/languages.md", "utf8").replaceAll("\n", " ")
  const [, sentence = ""] = /\*\*(An order went out as it is only if [^*]+)\*\*/.exec(page) ?? []
  return Array.from(
    sentence.matchAll(/`"(\w+)":(\d+)`/g),
    ([, field = "", count]) => [field, Number(count)] as const
  )
})()

const columns = ["key", "recipient", "message", "sender_id"] as const

type Order = Readonly<Record<(typeof columns)[number], string>>

const header = `${columns.join()}\n`
const lineOf = (order: Order) => `${columns.map((name) => order[name]).join()}\n`

/** How a key stands, by the end of its number in the sandbox, and by what a person decided. */
const states = [
  ["sent", "7777"],
  ["rejected", "0400"],
  ["unknown", "0500"],
  ["closed", "0500", "--not-sent"],
  ["freed", "0500", "--resend"]
] as const

/** What an order is now. */
const changes: Readonly<Record<string, (order: Order) => Partial<Order>>> = {
  "the same": () => ({}),
  "another text": () => ({ message: "We come at 10" }),
  "another number": ({ recipient }) => ({ recipient: `${recipient.slice(0, -4)}8888` }),
  "another sender": () => ({ sender_id: "Shop" }),
  "an empty text": () => ({ message: "" }),
  "an empty number": () => ({ recipient: "" }),
  "a part of a number": () => ({ recipient: "+155" }),
  "a number of a spreadsheet": () => ({ recipient: "1.55501E+10" }),
  "a placeholder": () => ({ message: "Hi {name}" }),
  "no value": () => ({ message: "undefined" }),
  "an error of a spreadsheet": () => ({ message: "#N/A" })
}

/** What is wrong with the file: nobody knows whether the order is as it seems. */
const damages: Readonly<Record<string, (line: string) => string>> = {
  "a row without its line break": (line) => line.trimEnd(),
  "a row with a cell too many": (line) => line.replace("\n", ",x\n"),
  "a row beside the rest of a text": (line) => `${line}We come\n`
}

it.live("the rule of docs/languages.md is true exactly if an order went out as it is now", () =>
  Effect.gen(function* () {
    expect(rule).toContainEqual(["sent", 1])
    const cases = states
      .flatMap(([state, end, decision]) =>
        [...Object.keys(changes), ...Object.keys(damages)].flatMap((change, index) =>
          [false, ...(index % 2 === 0 ? [true] : [])].map((isExcluded) => ({
            state,
            end,
            decision,
            change,
            isExcluded
          }))
        )
      )
      .map(({ decision, end, ...each }, index) => {
        const recipient = `+1555${String(100 + index)}${end}`
        const key = `order-${index}`
        const order = { key, recipient, message: "We come at 9", sender_id: "" } satisfies Order
        return { decision, is: each, line: String(index + 2), order }
      })
    const { file, journal } = yield* fileOf(
      header + cases.map(({ order }) => lineOf(order)).join("")
    )
    const stop = `${file}.stop.txt`
    const about = ["--campaign", "orders", "--yes", "--journal", journal]
    yield* command(["run", file, ...about])
    for (const decision of ["--not-sent", "--resend"]) {
      const chosen = cases.filter((each) => each.decision === decision)
      const lines = chosen.flatMap(({ line }) => ["--line", line])
      const { events } = yield* command(["resolve", file, decision, ...lines, ...about])
      expect(events).toMatchObject([{ changed: chosen.length }])
    }
    const sandbox = yield* Sandbox
    for (const { is, order } of cases) {
      const now = { ...order, ...changes[is.change]?.(order) }
      const damage = damages[is.change]
      const stdin = [header + (damage?.(lineOf(now)) ?? lineOf(now))]
      const isNumber = now.recipient.length > 11 && now.recipient.startsWith("+")
      const listed = isNumber ? now.recipient : order.recipient
      // Without one, a campaign that had a stop list is refused.
      writeFileSync(stop, `${is.isExcluded ? listed : "+15559999999"}\n`)
      const { code, events } = yield* command(["run", "-", "--exclude", stop, ...about], { stdin })
      const totals = events.find(({ event }) => event === "Totals")
      const ended = events.at(-1)
      const arrived = (yield* sandbox.messages()).some(
        ({ message, recipient, sender_id = "" }) =>
          recipient === now.recipient && message === now.message && sender_id === now.sender_id
      )
      const went = arrived && damage === undefined
      const holds = rule.every(([field, count]) => ended?.[field] === count)
      // A closed or excluded one has exit code 0, too.
      const isFine = went || is.state === "closed" || is.isExcluded || code !== 0
      const found = { ...is, ended, holds, isFine, invalid: ended?.["invalid"] }
      expect(found).toEqual({ ...found, holds: went, isFine: true, invalid: totals?.["invalid"] })
    }
  }).pipe(onSandbox)
)
