/**
 * A campaign as a person sees it, in a terminal of 80 columns.
 */
import { beforeEach, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { commandFile } from "../harness/Bundled.ts"
import { columns, hasTerminals, typed } from "../harness/PseudoTerminal.ts"
import { folder } from "../harness/TemporaryFolder.ts"

/** Numbers of several countries, as a list of a person has them. */
const customers = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const digest = createHash("sha256").update(String(index)).digest()
    const prefix = ["+234803", "+4479", "+3361", "+49151", "0803"][index % 5]
    return `${prefix}${String(digest.readUInt32LE(0) % 5_000_000).padStart(7, "0")}${index % 10};Ana ${index % 7}\n`
  }).join("")

describe("in a terminal", () => {
  beforeEach((context) => {
    context.skip(!hasTerminals, "needs script of util-linux")
  })

  it.live(
    "5,000 arbitrary numbers go to the sandbox, from the question to the inbox",
    () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        writeFileSync(join(cwd, "customers.csv"), `Recipient;Name\n${customers(5_000)}`)
        const run = [
          commandFile,
          "run",
          "customers.csv",
          "--sandbox",
          "--template",
          "Hello {name}",
          "--allow-repeats"
        ]
        const { code, lines } = yield* Effect.promise(() =>
          typed(run, {
            cwd,
            env: { TZ: "UTC" },
            replies: [
              { after: "[y/N] ", type: "y\n" },
              { after: "open until Ctrl+C", type: "\u0003" }
            ]
          })
        )
        expect(code).toBe(0)
        const tableAt = (title: string, length: number) => {
          const start = lines.indexOf(title)
          return lines.slice(start, start + length)
        }
        const journal = "Sends to the sandbox. Nothing is remembered of this run:"
        expect(tableAt(journal, 5)).toEqual([
          journal,
          "  to send  5,000",
          "The first texts:",
          '  "Hello Ana 0"',
          '  "Hello Ana 1"'
        ])
        expect(lines.join("")).toContain(
          "Send 5,000 SMS to the sandbox? 1,000 numbers begin with neither + nor 00: write them with + and country code, or give --country, so that other spellings of them are found. [y/N] y"
        )
        const drawn = lines.filter((line) => /^\[#*-*\] /.test(line))
        expect(drawn.length).toBeGreaterThan(5)
        expect(drawn.filter((line) => line.length >= columns)).toEqual([])
        expect(drawn.some((line) => /\/5,000 {2}[\d,.]+\/s {2}ETA /.test(line))).toBe(true)
        const ended = "customers: finished. This run sent 5,000 to the sandbox"
        expect(tableAt(ended, 4)).toEqual([
          ended,
          "  sent      5,000",
          "  rejected      0",
          "  unknown       0"
        ])
        expect(lines.findLast((line) => line !== "")).toMatch(/The inbox is closed$/)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live("what was typed before the question is no answer to it", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const list = Array.from({ length: 10 }, (_, index) => `+1555000012${index},Hello\n`)
      writeFileSync(join(cwd, "list.csv"), `recipient,message\n${list.join("")}`)
      const { lines } = yield* Effect.promise(() =>
        typed([commandFile, "run", "list.csv", "--sandbox"], {
          cwd,
          env: {},
          replies: [
            { after: "", type: "y\n" },
            { after: "[y/N] ", type: "n\n" },
            { after: "open until Ctrl+C", type: "\u0003" }
          ]
        })
      )
      expect(lines.join("\n")).toContain("[y/N] n\nNothing was sent")
    }).pipe(Effect.scoped)
  )
})
