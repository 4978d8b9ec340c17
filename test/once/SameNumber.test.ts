/** Every part that asks whether two recipients are the same number, over one table of spellings. */
import { expect, it } from "@effect/vitest"
import { Phone } from "@messaging-topup/core/internal"
import { layerMemory } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import type { CountryCode } from "libphonenumber-js/min"
import { normalizeTo } from "messaging-topup/src/input/PhoneNumber.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { rowsOf } from "../harness/campaign/Reading.ts"
import { alone } from "../harness/Command.ts"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"
import { folder } from "../harness/TemporaryFolder.ts"
import * as Struct from "effect/Struct"

/** The number of the table, as people and programs write it. */
const theNumber = "+442071234567"

/**
 * - `"exact"`: the number, also where it allows something: this form is compared and sent.
 * - `"same"`: the number everywhere, but no form that allows. An assistant's is sent as `theNumber`.
 * - `"written"`: likewise, and sent as it is written.
 * - `"known"`: likewise, but lists and tools refuse to send it.
 * - `"wide"`: the number somewhere: enough to refuse.
 * - `"unclear"`: two numbers in one. Refused.
 * - `"other"`: another number.
 */
type Likeness = "exact" | "same" | "written" | "known" | "wide" | "unclear" | "other"

const likenesses: Readonly<Record<Likeness, ReadonlyArray<string>>> = {
  exact: [
    theNumber,
    "+44 20 7123 4567",
    "(+44) 20-7123.4567",
    "+44\u00a020\u20117123\u20134567",
    "00442071234567",
    "00 44 (20) 7123 4567",
    "+44-207-123-4567",
    "+44\u2011207\u2013123\u20144567",
    "+44\u00a0207.123.4567",
    // A spreadsheet, or a list of results, writes that this is text; an address book puts marks around it.
    "'+44 20 7123 4567",
    '="+442071234567"',
    "+442071234567\u200b",
    "\u202a+442071234567\u202c",
    "+44\u00ad20\u200b71234567"
  ],
  same: [
    "+442071234567,",
    ";;+44 207 123 4567",
    "+44\u300020\u20037123 4567",
    "\uff0b442071234567",
    "+\uff14\uff14\uff12\uff10\uff17\uff11\uff12\uff13\uff14\uff15\uff16\uff17"
  ],
  written: [
    "442071234567",
    "44 20 7123 4567",
    "+44/2071234567",
    "+44-207-123-4567/",
    "+\u0664\u0664\u0662\u0660\u0667\u0661\u0662\u0663\u0664\u0665\u0666\u0667"
  ],
  known: ["tel:+442071234567", "TEL:+44-207-123-4567", "0044\u2011207\u2212123\u20134567"],
  wide: ["011442071234567", "011 44 20 7123 4567", "(011) 44-20-7123-4567"],
  unclear: [
    "+44 (0)20 7123 4567",
    "0044(0)2071234567",
    "44 ( 0 ) 20 7123 4567",
    "+44 20 7123 4567 ext. 5",
    "+442071234567 x5",
    "+442071234567#5",
    "+442071234567;ext=5",
    // The mark of a footnote is no digit.
    "+442071234567\u00b9"
  ],
  other: ["+442071234568", "02071234567", "2071234567", "+4402071234567", "ACME"]
}

interface Spelling {
  readonly text: string
  readonly likeness: Likeness
}

const spellings: ReadonlyArray<Spelling> = Struct.keys(likenesses).flatMap((likeness) =>
  likenesses[likeness].map((text) => ({ likeness, text }))
)

/** Whether the spelling is enough to refuse what the number is refused. */
const isLike = ({ likeness }: Spelling): boolean => likeness !== "unclear" && likeness !== "other"

const message = "Hello"

/** What a dry run says of a list of these numbers. */
const planOf = (numbers: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  Effect.map(
    alone(["run", "-", "--dry-run", "--journal", "memory", "--campaign", "c", ...args], {
      stdin: [
        "recipient,message\n",
        ...numbers.map((number) => `"${number.replaceAll('"', '""')}",${message}\n`)
      ]
    }),
    ({ events }) => events.find(({ event }) => event === "Totals")
  )

/** Without a country, a list sends a number as it is: digits of ASCII, and what usually separates them. */
const isSendable = ({ likeness, text }: Spelling): boolean =>
  likeness !== "unclear" && likeness !== "known" && !/(?![0-9])\p{Nd}|[\uff0b\p{L},;]/u.test(text)

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
    const isSecond = isLike(spelling) && likeness !== "wide"
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
        const [one, other] = [theNumber, text].map(
          (recipient) => identify("k", { recipient, message }).digest
        )
        expect(one === other).toBe(isLike(spelling))
      }
      const isWord = /\p{L}/u.test(text.replace(/^tel:/i, ""))
      const { key } = identify({ campaign: "c", key: text }, { recipient: text, message })
      expect(key === `c/${text}`).toBe(isWord)
    }).pipe(Effect.provide(layerMemory))
)

/** The key that a list without keys makes for a row of this number, and what it sends; undefined if it sends nothing. */
const madeOf = (number: string, country?: CountryCode) =>
  Effect.map(
    Stream.runCollect(
      rowsOf(`recipient,message\n"${number.replaceAll('"', '""')}",${message}\n`, {
        normalize: country && normalizeTo(country)
      })
    ),
    ([row]) =>
      row?._tag === "Row" ? { key: row.row.key, sent: row.row.request.recipient } : undefined
  )

it.live.each(spellings)("a row without a key is the same one with $text as $likeness", (spelling) =>
  Effect.gen(function* () {
    const { likeness, text } = spelling
    const [one, other] = yield* Effect.all([madeOf(theNumber), madeOf(text)])
    const isSame = isSendable(spelling) && isLike(spelling) && likeness !== "wide"
    expect(one?.key === other?.key).toBe(isSame)
  })
)

it.live(
  "a row without a key is the same one with every spelling that --country reads as its number",
  () =>
    Effect.gen(function* () {
      const spelled = [
        "020 7123 4567",
        "(020) 7123-4567",
        "2071234567",
        "+44 020 7123 4567",
        theNumber
      ]
      const made = yield* Effect.forEach(spelled, (text) => madeOf(text, "GB"))
      expect(made[0]?.sent).toBe(theNumber)
      expect(new Set(made.map((each) => each?.key)).size).toBe(1)
    })
)

/** Of each country, spellings of nearly the same digits that are two numbers there. */
const twoNumbers: ReadonlyArray<readonly [CountryCode | undefined, string, string]> = [
  [undefined, "011 456 7890", "456 7890"],
  ["DE", "5544167489297", "+5544167489297"],
  ["DE", "15112345678", "0015112345678"],
  ["US", "2708680523", "+2708680523"],
  // There, the digits after 00 choose who carries the call.
  ["BR", "00553299325340", "+553299325340"],
  ["BO", "0016847089916", "+16847089916"],
  ["GY", "0013677122509", "+1 367 712 2509"]
]

it.live.each(twoNumbers)("in %s, rows without a key to %s and %s are two", ([country, ...texts]) =>
  Effect.gen(function* () {
    const [one, other] = yield* Effect.forEach(texts, (text) => madeOf(text, country))
    expect(one?.sent).not.toBe(other?.sent)
    expect(one?.key).not.toBe(other?.key)
  })
)

it("a digit of every script is its value", () => {
  const digits = Intl.supportedValuesOf("numberingSystem")
    .map((numberingSystem) => new Intl.NumberFormat("en", { numberingSystem, useGrouping: false }))
    .map((format) => format.format(9_876_543_210))
    .filter((text) => /^\p{Nd}+$/u.test(text))
  expect(digits.length).toBeGreaterThan(60)
  expect(new Set(digits.map(Phone.wideForm))).toEqual(new Set(["9876543210"]))
})

it("an allow-list allows the exact number alone, and refuses all others before a person is asked", async () => {
  const person = () => approve
  await using server = await guarded(anyRoute, ["--allow-recipients", theNumber], { person })
  const refusals = new Set<string>()
  for (const [index, { likeness, text }] of spellings.entries()) {
    const refused = await server.send({ recipient: text, message: `Text ${index}` })
    expect(refused.isError, text).toBe(likeness !== "exact")
    if (refused.error["code"] === "recipient_not_allowed") refusals.add(refused.text)
    else if (refused.isError) expect(refused.error["code"], text).toBe("recipient_unclear")
  }
  expect(refusals.size).toBe(1)
  const allowed = spellings.filter(({ likeness }) => likeness === "exact")
  expect(server.questions).toHaveLength(allowed.length)
  const sent = (await server.upstream.messages()).map(({ recipient }) => recipient)
  expect(sent).toEqual(allowed.map(() => theNumber))
})

/** What an assistant's recipient is sent as, if it has no other form: without what separates digits. */
const asWritten = (text: string): string =>
  /[^\d\s()+-]/.test(text) ? text : text.replaceAll(/[\s()-]/g, "")

it("a number is shown, sent and told in one form, and its SMS is a repetition in every spelling", async () => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  const { messageIds } = await server.send({ recipient: theNumber, message })
  for (const [index, spelling] of spellings.entries()) {
    const { likeness, text } = spelling
    const found = await server.send({ recipient: text, message })
    // In a list, a slash ends an area code. An assistant may write two numbers with one. A name is no number.
    if (
      likeness === "unclear" ||
      likeness === "known" ||
      /\/./.test(text) ||
      !/\p{Nd}/u.test(text)
    ) {
      expect(found.error["code"], text).toBe("recipient_unclear")
      continue
    }
    expect(found, text).toMatchObject({ isError: false, duplicate: isLike(spelling) })
    if (isLike(spelling)) expect(found, text).toMatchObject({ messageIds })
    const isTheNumber = likeness === "exact" || likeness === "same"
    const sent = isTheNumber ? theNumber : asWritten(text)
    const { structured } = await server.send({ recipient: text, message: `Text ${index}` })
    const shown = /^\+?\d+$/.test(sent) ? sent : JSON.stringify(sent)
    // Digits of another script are no country code that a service is sure to read.
    const warning = /^\+\d/.test(sent) ? "" : ", without + and a country code"
    expect(server.questions.at(-1)).toBe(
      `Send this SMS? To ${shown}${warning}, 1 segment: "Text ${index}"`
    )
    expect(structured["data"], text).toMatchObject([{ recipient: sent }])
    expect((await server.upstream.messages())[0]?.recipient, text).toBe(sent)
  }
})
