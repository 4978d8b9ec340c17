import { expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { service } from "../harness/journal/Service.ts"

const row = /^\| `(\d{4})` \| `(\w+)`(.*) \| `([\w-]+)` \|$/gm

const page = readFileSync("docs/testing.md", "utf8")

const rows = [...page.matchAll(row)].map(
  ([, suffix = "", tag = "", fields = "", outcome = ""]) => ({ suffix, tag, fields, outcome })
)

it("each row of the guide's table of forced outcomes is compared", () => {
  expect(rows.length).toBeGreaterThan(4)
  expect(rows).toHaveLength(page.match(/^\| `\d/gm)?.length ?? 0)
})

it.effect.each(rows)(
  "a recipient that ends in $suffix gets the response of docs/testing.md",
  (said) =>
    Effect.gen(function* () {
      const { sendSms } = yield* MessagingTopup
      const error = yield* Effect.flip(
        sendSms({ recipient: `+1555000${said.suffix}`, message: "Hello" })
      )
      const fields = [...said.fields.matchAll(/`(\w+)` (\d+)/g)].map(
        ([, name = "", value]) => [name, Number(value)] as const
      )
      expect(error).toMatchObject({ _tag: said.tag, ...Object.fromEntries(fields) })
      expect(sendOutcome(error)).toBe(said.outcome)
    }).pipe(Effect.provide(service))
)
