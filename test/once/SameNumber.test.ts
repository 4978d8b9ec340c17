/** Every part that asks whether two recipients are the same number, over one table of spellings. */
import { expect, it } from "@effect/vitest"
import { Phone } from "@messaging-topup/core/internal"
import { layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { alone } from "../harness/Command.ts"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"
import { isLike, type Spelling, spellings, theNumber } from "../harness/Spellings.ts"
import { folder } from "../harness/TemporaryFolder.ts"

const message = "Hello"

/** What a dry run says of a list of these numbers. */
const planOf = (numbers: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  Effect.map(
    alone(["run", "-", "--dry-run", "--campaign", "c", ...args], {
      stdin: ["recipient,message\n", ...numbers.map((number) => `"${number}",${message}\n`)]
    }),
    ({ events }) => events.find(({ event }) => event === "Totals")
  )

/** Without a country, a list sends a number as it is, and only digits of ASCII. */
const isSendable = ({ likeness, text }: Spelling): boolean =>
  likeness !== "unclear" && !/(?![0-9])\p{Nd}|\uff0b/u.test(text)

it.live.each(spellings)("a stop list and a list know $text as $likeness", (spelling) =>
  Effect.gen(function* () {
    const { likeness, text } = spelling
    const stopList = join(yield* folder, "stop.txt")
    writeFileSync(stopList, `${theNumber}\n`)
    const stopped = yield* planOf([text], "--exclude", stopList)
    const isSent = isSendable(spelling)
    const excluded = isSent && isLike(spelling) ? 1 : 0
    expect(stopped).toMatchObject({ excluded, invalid: isSent ? 0 : 1 })
    if (isSent) {
      writeFileSync(stopList, `${text}\n`)
      expect(yield* planOf([theNumber], "--exclude", stopList)).toMatchObject({ excluded })
    }
    const isSecond = likeness === "exact" || likeness === "same"
    expect(yield* planOf([theNumber, text])).toMatchObject({ rows: isSent && !isSecond ? 2 : 1 })
  })
)

it.effect.each(spellings)(
  "the journal stores no number as key, and knows $text as $likeness",
  (spelling) =>
    Effect.gen(function* () {
      const { identify, recipientDigest } = yield* SendJournal
      const { likeness, text } = spelling
      if (likeness !== "unclear") {
        expect(recipientDigest(text) === recipientDigest(theNumber)).toBe(isLike(spelling))
      }
      const isWord = /\p{L}/u.test(text)
      const { key } = identify({ campaign: "c", key: text }, { recipient: text, message })
      expect(key === `c/${text}`).toBe(isWord)
    }).pipe(Effect.provide(layerMemory))
)

it("a digit of every script is its value", () => {
  const digits = Intl.supportedValuesOf("numberingSystem")
    .map((numberingSystem) => new Intl.NumberFormat("en", { numberingSystem, useGrouping: false }))
    .map((format) => format.format(9_876_543_210))
    .filter((text) => /^\p{Nd}+$/u.test(text))
  expect(digits.length).toBeGreaterThan(60)
  expect(new Set(digits.map(Phone.wideForm))).toEqual(new Set(["9876543210"]))
})

it("an allow-list allows the exact number alone, and refuses what is unclear", async () => {
  await using server = await guarded(anyRoute, ["--allow-recipients", theNumber])
  for (const { likeness, text } of spellings) {
    const { error, isError } = await server.send({ recipient: text, message: `To ${text}` })
    expect(isError, text).toBe(likeness !== "exact")
    if (isError) expect(error["code"], text).toMatch(/^recipient_(not_allowed|unclear)$/)
  }
  const sent = new Set((await server.upstream.messages()).map(({ recipient }) => recipient))
  expect(sent).toEqual(new Set([theNumber]))
})

it("the same SMS to a number is a repetition in every spelling, and one to another is not", async () => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  await server.send({ recipient: theNumber, message })
  for (const spelling of spellings) {
    const { likeness, text } = spelling
    const found = await server.send({ recipient: text, message })
    // In a list, a slash ends an area code. An assistant may write two numbers with one.
    const isUnclear = likeness === "unclear" || text.includes("/")
    if (isUnclear) expect(found.error["code"], text).toBe("recipient_unclear")
    else expect(found, text).toMatchObject({ isError: false, duplicate: isLike(spelling) })
  }
})
