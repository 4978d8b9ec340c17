/** What nobody means as a text, a sender or a time is refused, and what somebody may mean is asked about. */
import { doubtfulIn } from "@messaging-topup/core/internal"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { anyRoute, approve, type Guarded, guarded, type Sms } from "../harness/mcp/GuardedServer.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

/** A value of each kind, and what the refusal says of it. */
const values: Readonly<Record<string, string>> = {
  "#N/A": "is an error of a spreadsheet",
  "#####": "is an error of a spreadsheet",
  NULL: "is a word of programs for no value",
  null: "is a word of programs for no value",
  undefined: "is a word of programs for no value",
  NaN: "is a word of programs for no value",
  "<NA>": "is a word of programs for no value",
  NaT: "is a word of programs for no value",
  "#N/\u200bA": "is an error of a spreadsheet",
  "Hi [object Object]": "has [object …]",
  "[object Map Iterator]": "has [object …]",
  "Hi {{नाम}}": "has a placeholder such as {{name}} that nobody filled",
  "Hi {{na\u200bme}}": "has a placeholder such as {{name}} that nobody filled",
  "Hi {{ name }}": "has a placeholder such as {{name}} that nobody filled",
  "｛｛名前｝｝様": "has a placeholder such as {{name}} that nobody filled",
  'Hi</message><parameter name="sender_id">': "has the tag <parameter>",
  "Hi</parameter>": "has the tag <parameter>",
  "\u2800 \u200b": "has no visible character",
  "Hi J\ufffdrgen": "has �, which a program writes for a letter that it cannot read"
}

const fields = ["message", "sender_id", "scheduled_time"] as const

const cases = fields.flatMap((field) =>
  Object.entries({
    ...values,
    // The others must be one line.
    ...(field === "message"
      ? { "a\u0000b": "has a control character", "  ": "has no visible" }
      : {})
  }).map(([value, why]) => [field, value, why] as const)
)

it("a tool refuses what nobody means, and names the argument and the row", async () => {
  await using server = await guarded(anyRoute)
  for (const [field, value, why] of cases) {
    const { error, text } = await server.send({ ...sms, [field]: value })
    expect(error, value).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(text).toContain(`This call sent nothing: its ${field} ${why}`)
  }
  const rows = [sms, { ...sms, message: "NULL" }, { ...sms, message: "Hi {{name}}" }]
  const batch = await server.call("send_sms_batch", { rows })
  expect(batch.text).toContain("row 2: its message is a word of programs for no value; row 3: its")
  expect(await server.sent()).toBe(0)
})

it("a word that is a part of a text or a name is sent", async () => {
  await using server = await guarded(anyRoute)
  const messages = [
    "#1 in town",
    "Nan called",
    "null and void",
    "1 < 2 {",
    "NAN",
    "Any object [here]",
    "[Shop] Name your price",
    "Your name [is] here",
    "a < your limit > b, <b>50%</b>"
  ]
  for (const message of messages) await server.send({ ...sms, message })
  expect(await server.sent()).toBe(messages.length)
})

/** What somebody may mean, and what is said of it. */
const doubtful: ReadonlyArray<readonly [Partial<Sms>, string]> = [
  [
    { message: "Connect to {host name}" },
    'text has "{host name}", perhaps a placeholder that nobody filled'
  ],
  ...[
    "नाम",
    "ชื่อ",
    "பெயர்",
    "pre\u0301nom",
    "first\u00a0name",
    "اسم",
    "total:.2f",
    "name!r",
    "name=",
    "user['name']",
    "name.title()",
    "count + 1"
  ].map(
    (name) =>
      [
        { message: `Hi {${name}}` },
        `text has "{${name}}", perhaps a placeholder that nobody filled`
      ] as const
  ),
  ...["[Name]", "[first name]", "<Customer full name>", "<your_code>", "[insert date here]"].map(
    (word) =>
      [
        { message: `50% off, ${word}` },
        `text has "${word}", perhaps a placeholder that nobody filled`
      ] as const
  ),
  [{ message: "Hi %name%" }, 'text has "%name", perhaps a placeholder that nobody filled'],
  [{ message: "｛名前｝様" }, 'text has "｛名前｝", perhaps a placeholder that nobody filled'],
  [{ message: "Hi {na\u200bme}" }, 'text has "{name}", perhaps a placeholder that nobody filled'],
  [{ sender_id: "{brand}" }, 'sender has "{brand}", perhaps a placeholder that nobody filled'],
  [{ scheduled_time: "{time}" }, 'time has "{time}", perhaps a placeholder that nobody filled'],
  [{ scheduled_time: "N/A" }, 'time has "N/A", perhaps not a time, because it has no digit'],
  [{ scheduled_time: "asap" }, 'time has "asap", perhaps not a time, because it has no digit'],
  [{ scheduled_time: "2020-01-01T08:00:00Z" }, 'time has "2020-01-01T08:00:00Z", which has passed'],
  [{ message: "Hi #N/A, come" }, 'text has "#N/A", perhaps an error of a spreadsheet'],
  [{ message: "Due (#NAME?)" }, 'text has "#NAME?", perhaps an error of a spreadsheet'],
  [{ message: "Hi undefined," }, 'text has "undefined", perhaps a word of programs for no value'],
  [
    { message: "Hi JÃ¼rgen, 5 â‚¬" },
    'text has "JÃ¼rgen,", perhaps UTF-8 that was read as another encoding'
  ]
]

/** As a program shows UTF-8 that it reads as Windows-1252. */
const misread = (text: string) => new TextDecoder("windows-1252").decode(Buffer.from(text))

it.each([
  "Jürgen",
  "Straße",
  "KÖLN",
  "MÜLLER",
  "Åsa",
  "María",
  "São João",
  "CITTÀ",
  "będą",
  "są",
  "l’été",
  "Rendez-vous à 10h",
  "5 €",
  "25 °C",
  "¿Qué?",
  "«oui»",
  "Zoë 😀",
  "Tschüß – “ok”",
  "Привет",
  "日本語",
  "Tiếng Việt",
  "Gaṣia"
])("UTF-8 that was read as another encoding is seldom meant: %s, but not as it was", (text) => {
  expect(doubtfulIn("message", text)).toEqual([])
  expect(doubtfulIn("message", misread(text))).toMatchObject([{ why: "misread" }])
})

it.each([
  "IRMÃ…",
  "QUERIDA IRMÃ”",
  "«AMANHû",
  "AMANHÃ\u00a0TEM FESTA",
  "MAÇÃ—UVA",
  "Ângela",
  "Â",
  "Spaß…",
  "JA, Ä…",
  "Viele Grüße…",
  "CAFÉ… OLÉ…",
  "CAFÉ’s",
  "“Au café…”",
  "Cité\u00a0–",
  // One right letter says that the others are right, too.
  "Grüße an JÃ¼rgen"
])("a text that may be right is not doubted: %s", (text) => {
  expect(doubtfulIn("message", text)).toEqual([])
})

it("what is seldom meant is asked about, and refused by its row where nobody is asked", async () => {
  await using asks = await guarded(anyRoute, [], { person: () => approve })
  await using off = await guarded(anyRoute, ["--confirm=off", "--allow-recipients=*"], {
    person: () => approve
  })
  await using mute = await guarded(anyRoute)
  for (const [given, doubt] of doubtful) {
    const doubted = { ...sms, ...given }
    const { message, sender_id } = doubted
    const rows = [sms, { recipient: "+254700000002", message }]
    const batchOf = sender_id === undefined ? { rows } : { rows, sender_id }
    const which = given.message === undefined ? "rows 1-2" : "row 2"
    expect(await asks.send(doubted)).toMatchObject({ isError: false })
    // A batch has one sender, and no time.
    const isOfBatch = given.scheduled_time === undefined
    if (isOfBatch) {
      expect(await asks.call("send_sms_batch", batchOf)).toMatchObject({ isError: false })
    }
    for (const question of asks.questions.splice(0)) expect(question).toContain(`A ${doubt}.`)
    expect(await off.send(doubted)).toMatchObject({ isError: false })
    expect(off.questions.splice(0)).toHaveLength(1)
    const one = await mute.send(doubted)
    expect(one.error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(one.text).toContain(
      `This call sent nothing: its ${doubt}. Correct it with the person. If it is meant, only a person who is asked can approve it.`
    )
    if (!isOfBatch) continue
    const batch = await mute.call("send_sms_batch", batchOf)
    expect(batch.text).toContain(`${which}: its ${doubt}`)
  }
  expect(await mute.sent()).toBe(0)
  await off.send(sms)
  expect(off.questions).toEqual([])
})

it("is refused together with what nobody means, so that the person corrects all rows at once", async () => {
  await using asks = await guarded({ era: "modern", over: "http" }, ["--allow-recipients=*"], {
    person: () => approve
  })
  await using mute = await asks.another()
  const before = { ...sms, message: "Hi {you}" }
  await asks.send(before)
  // What went out before is in no way of the others.
  const rows = [{ ...sms, message: "Hi {name}" }, before, { ...sms, message: "#N/A" }]
  const refused = await mute.call("send_sms_batch", { rows })
  expect(refused.text).toMatch(
    /^This call sent nothing: 2 rows of 3 cannot be sent; row 1: its text has "\{name\}", perhaps a placeholder that nobody filled; row 3: its message is an error of a spreadsheet\. /
  )
  expect(refused.error).toMatchObject({ code: "rows_refused", rows_refused: 2 })
  const asked = await asks.call("send_sms_batch", { rows })
  expect(asked.error).toMatchObject({ code: "rows_refused", rows_refused: 1 })
  expect(await asks.sent()).toBe(1)
})

it("the question names each kind of what is seldom meant, and how many texts have it", async () => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  const texts = ["Hi", "Hi {name}", "Dear Ann {name}", "You owe undefined EUR", "You owe #N/A EUR"]
  const rows = texts.map((message, at) => ({ recipient: `+25470000000${at}`, message }))
  await server.call("send_sms_batch", { rows, sender_id: "{brand}" })
  expect(server.questions[0]).toMatch(
    /^Send 5 SMS\? A sender has "\{brand\}", perhaps a placeholder that nobody filled\. 2 texts have "\{name\}", perhaps a placeholder that nobody filled\. A text has "undefined", perhaps a word of programs for no value\. A text has "#N\/A", perhaps an error of a spreadsheet\. /
  )
})

it("each word of one text that is seldom meant is named, and where nobody is asked, too", async () => {
  await using asks = await guarded(anyRoute, [], { person: () => approve })
  await using mute = await guarded(anyRoute)
  const message = "Hi {name}, {name}: you owe undefined EUR to {shop}, #N/A"
  const words = [
    'text has "{name}", perhaps a placeholder that nobody filled',
    'text has "{shop}", perhaps a placeholder that nobody filled',
    'text has "#N/A", perhaps an error of a spreadsheet',
    'text has "undefined", perhaps a word of programs for no value'
  ]
  await asks.send({ ...sms, message })
  const said = words.map((each) => `A ${each}. `).join("")
  expect(asks.questions[0]).toContain(`Send this SMS? ${said}To `)
  const refused = await mute.send({ ...sms, message })
  const why = words.map((each) => `its ${each}`).join("; ")
  expect(refused.text).toContain(`This call sent nothing: ${why}. Correct it`)
  const many = await mute.send({ ...sms, message: "{a} {b} {c} {d} {e} {f} {g}" })
  expect(many.text).toContain(
    '"{e}", perhaps a placeholder that nobody filled; 2 more words may not'
  )
})

it("the refusal of a batch does not say of its other rows that they did not go out, if that is not known", async () => {
  await using server = await guarded(anyRoute)
  const lost = { recipient: "+15550000900", message: "Hello" }
  const { error: unknown } = await server.send(lost)
  await server.send(sms)
  const call = (...rows: ReadonlyArray<Sms>) =>
    server.call("send_sms_batch", { rows: [...rows, { ...sms, message: "#N/A" }] })
  const { error, text } = await call(lost, sms)
  expect(error).toMatchObject({
    code: "rows_refused",
    outcome: "unknown",
    sent_by_this_call: false,
    unknown_ids: [unknown["id"]]
  })
  expect(text).toContain(
    "It is still unknown of 1 of its 3 SMS whether an earlier send went out: do not send these again without the person."
  )
  const partly = await call(sms)
  expect(partly.error).toMatchObject({ code: "rows_refused", outcome: "partly-sent" })
  expect(partly.text).toContain("Earlier calls sent 1 of its 2 SMS.")
})

it("a refusal under other rules says how the same SMS stands that an earlier call sent, or may have", async () => {
  const journal = `--journal=${join(temporaryFolder(), "sends.sqlite")}`
  await using before = await guarded(anyRoute, [journal])
  const sent = { recipient: "+1 (555) 000-0001", message: "a".repeat(161) }
  const lost = { ...sent, recipient: "+15550000900" }
  const fresh = { ...sent, recipient: "+15550000002" }
  await before.send(sent)
  const id = (await before.send(lost)).error["id"]
  const later = { ...lost, recipient: "+15550010900" }
  const newest = (await before.send(later)).error["id"]
  const under = async (
    rule: string,
    code: string,
    check: (server: Guarded, at: { code: string; sent_by_this_call: false }) => Promise<void>
  ) => {
    const environment = { ...before.upstream.env }
    await using server = await guarded(anyRoute, [journal, rule], { environment })
    await check(server, { code, sent_by_this_call: false })
  }
  const isTold = async (server: Guarded, refused: object) => {
    const unknown = await server.send(lost)
    expect(unknown.error).toMatchObject({ ...refused, outcome: "unknown", id })
    // Not that the SMS was not sent: beside its outcome, that would be another word.
    expect(unknown.text).toMatch(/^This call sent nothing: /)
    expect(unknown.text).toContain(
      "It is still unknown whether an earlier send of the same SMS went out"
    )
    const known = await server.send({ ...sent, recipient: "+1 555-000-0001" })
    expect(known.error).toMatchObject({ ...refused, outcome: "sent" })
    expect(known.text).toMatch(/^This call sent nothing: /)
    expect(known.text).toContain("The service accepted the same SMS from an earlier call.")
    expect((await server.send(fresh)).error).toMatchObject({ ...refused, outcome: "not-sent" })
  }
  await under("--max-segments=1", "too_many_segments", isTold)
  await under("--allow-recipients=+44*", "recipient_not_allowed", isTold)
  await under("--max-batch=1", "too_many_rows", async (server, refused) => {
    const call = async (...rows: ReadonlyArray<Sms>) =>
      (await server.call("send_sms_batch", { rows })).error
    expect(await call(sent, lost, fresh)).toMatchObject({
      ...refused,
      outcome: "unknown",
      unknown_ids: [id]
    })
    // The newest first, as everywhere.
    expect(await call(lost, later)).toMatchObject({ unknown_ids: [newest, id] })
    expect(await call(sent, fresh)).toMatchObject({ ...refused, outcome: "partly-sent" })
    expect(await call(fresh, fresh)).toMatchObject({ ...refused, outcome: "not-sent" })
    const far = { ...lost, message: "a".repeat(1_000_000) }
    expect(await call(lost, far)).toMatchObject({ ...refused, outcome: "unknown" })
  })
  expect(await before.sent()).toBe(3)
})

it("the refusal of a batch says of all wrong rows what is wrong", async () => {
  await using server = await guarded(anyRoute)
  const wrong = ["2.547E+11", "+254700000001.0", "=+254700000001", "Mom"].map((recipient) => ({
    ...sms,
    recipient
  }))
  const texts = ["#N/A", "NaN", "[object Object]", "Hi {{name}}", "a\u0000b", " "].map(
    (message) => ({
      ...sms,
      message
    })
  )
  const long = ["a".repeat(2_000), "b".repeat(3_000)].map((message) => ({ ...sms, message }))
  const rows = [sms, ...wrong, ...texts, ...long, sms]
  const { error, text } = await server.call("send_sms_batch", { rows })
  expect(error).toMatchObject({ code: "rows_refused", rows_refused: rows.length - 1 })
  expect(text).toContain("row 14: it is the same SMS as an earlier row.")
  expect(text).toContain("Leave out one of two equal rows.")
  const named = Array.from(text.matchAll(/rows? ([\d, -]+):/g), ([, numbers = ""]) => numbers)
  expect(named.join(", ")).toBe("2-3, 4-5, 6, 7, 8, 9, 10, 11, 12, 13, 14")
})
