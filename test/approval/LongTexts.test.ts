import { SmsText } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import { keyOf } from "@messaging-topup/mcp-server/src/send/Plan.ts"
import { expect, it } from "vitest"
import { isFull } from "../harness/Runs.ts"
import { anyRoute, guarded } from "../harness/mcp/GuardedServer.ts"
import { callOf, openStdio } from "../harness/mcp/RawStdio.ts"

const mebi = 1024 * 1024

const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

const properties =
  "Cc Cf Cs Zl Zp Zs Mn Mc Me White_Space Emoji Extender Default_Ignorable_Code_Point Variation_Selector Script=Common Script=Inherited"
    .split(" ")
    .map((property) => new RegExp(`\\p{${property}}`, "u"))

/** What regular expressions and normalisations tell apart: properties, forms, and the order of marks. */
const kindOf = (character: string): string => {
  const decomposed = character.normalize("NFD")
  return [
    ...properties.map((property) => property.test(character)),
    ...["NFC", "NFD", "NFKC", "NFKD"].map((form) => [
      character.normalize(form) === character,
      character.normalize(form).length
    ]),
    ...["\u0301", "\u0316", "\u093c", "\u0334"].map((mark) => [
      (character + mark).normalize("NFD") === decomposed + mark,
      (mark + character).normalize("NFD") === mark + decomposed
    ])
  ].join()
}

/** The code points that a person cannot see, and those that combine with others: one of each kind. */
const oddCharacters = [
  ...new Map(
    Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
      .filter((character) => odd.test(character))
      .map((character) => [kindOf(character), character])
  ).values()
]

/** What a regular expression or a normalisation could read again and again. */
const sequences = [
  "\u{1f3f4}\u{e0067}",
  "\u0301\u0316",
  "( ",
  "1 ",
  "1/",
  "/|",
  "1a",
  "+",
  "\u00a0 "
]

/** Some of them, and all in the full tests. */
const samples = [
  ...oddCharacters.filter((_, index) => isFull || index % 15 === 0),
  "\u{e0061}",
  "\u200b",
  "\u0301",
  " ",
  ...sequences
]

/** As many bytes as the longest message that the server reads. */
const texts = samples.map((sample) => sample.repeat(mebi / Buffer.byteLength(sample)))

const keyOfText = (message: string) => keyOf(() => "", false, "ann", { recipient: "+1", message })

it.each([
  ["the digest of a text", (text: string) => void keyOfText(text)],
  ["the count of the segments", (text: string) => void SmsText.preview(text)],
  ["the digest of a recipient", (text: string) => void Phone.wideForm(`${text}1`)],
  // Of a list: the arguments of the tools are refused above 80 characters, before they are read.
  ["the check of a recipient", (text: string) => void Phone.read(`${text}1`)]
])("%s takes a time that grows with its length alone", (_, run) => {
  // A time that grows with its square outlasts the test.
  expect(() => {
    for (const text of texts) run(text)
  }).not.toThrow()
})

it("a text that is far too long is refused before anything else is done with it", async () => {
  await using server = await guarded(anyRoute)
  const message = `a${"\u{e0061}".repeat(250_000)}`
  const refused = await server.send({ recipient: "+254700000001", message })
  expect(refused.error).toMatchObject({ code: "too_many_segments" })
  expect(await server.log.entry("send refused")).not.toHaveProperty("digest")
})

it("an identifier that is far too long for a URL does not keep the sandbox busy", async () => {
  await using server = await openStdio("modern", ["--sandbox"])
  const call = callOf("modern", 1, "get_sms_status", { message_id: "%".repeat(300_000) })
  expect((await server.ask(call)).result).toMatchObject({
    structuredContent: { code: "read_failed", http_status: 431 }
  })
})

it("a batch with a text that is far too long takes no longer for many recipients", async () => {
  await using server = await openStdio("modern", ["--sandbox"])
  let calls = 0
  const millisFor = async (count: number) => {
    const recipients = Array.from({ length: count }, (_, index) => `+2547000000${index + 10}`)
    const message = "\u0301".repeat(450_000)
    calls += 1
    const before = process.cpuUsage()
    const call = callOf("modern", calls, "send_sms_batch", { message, recipients })
    expect((await server.ask(call)).result).toMatchObject({
      structuredContent: { code: "rows_refused", rows_refused: count }
    })
    const { system, user } = process.cpuUsage(before)
    return (system + user) / 1000
  }
  await millisFor(2)
  const ratio = async () => {
    const one = await millisFor(2)
    return (await millisFor(90)) / one
  }
  expect(Math.min(await ratio(), await ratio(), await ratio())).toBeLessThan(4)
})
