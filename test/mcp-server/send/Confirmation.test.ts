import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  dismiss,
  type Guarded,
  guarded,
  decline,
  routes,
  type Sms,
  stdioRoutes,
  approve
} from "../support/GuardedServer.ts"

const sms = { recipient: "+254 700-000 001", message: "Hello" }

describe.for(routes)("$era over $over", (route) => {
  it("sends nothing before the decision", async () => {
    const asked = Promise.withResolvers<void>()
    const decided = Promise.withResolvers<void>()
    await using server = await guarded(route, ["--confirm", "require"], {
      person: async () => {
        asked.resolve()
        await decided.promise
        return approve
      }
    })
    const sending = server.send(sms)
    await asked.promise
    expect(await server.upstream.received()).toEqual([])
    decided.resolve()
    expect(await sending).toMatchObject({ isError: false })
    expect(await server.sent()).toBe(1)
  })

  it("sends nothing after a refusal, and nothing without a decision", async () => {
    let decision = decline
    await using server = await guarded(route, [], { person: () => decision })
    const declined = await server.send(sms)
    expect(declined.error).toMatchObject({ code: "confirmation_declined" })
    expect(declined.text).toBe(
      "The SMS was not sent: the person declined. Do not call again unless the person asks for it."
    )
    decision = dismiss
    const cancelled = await server.send(sms)
    expect(cancelled.error).toMatchObject({ code: "confirmation_cancelled" })
    expect(cancelled.text).toBe(
      "The SMS was not sent: the person closed the question without a decision. Ask the person what to do."
    )
    expect(await server.upstream.received()).toEqual([])
    // Neither counts as an earlier send of the same SMS.
    decision = approve
    expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
  })

  it("accepts no decision after --confirm-timeout", async () => {
    let late = true
    await using server = await guarded(route, ["--confirm-timeout", "2 minutes"], {
      person: async () => {
        server.pass(late ? "122 seconds" : "118 seconds")
        return approve
      }
    })
    const refused = await server.send(sms)
    expect(refused.error).toMatchObject({ code: "approval_expired" })
    expect(refused.text).toMatch(
      route.era === "modern"
        ? /^The SMS was not sent: the approval came too late\./
        : /^The SMS was not sent: nobody decided in time\./
    )
    expect(await server.sent()).toBe(0)
    late = false
    expect(await server.send(sms)).toMatchObject({ isError: false })
  })

  it("refuses with --confirm require if the client cannot ask", async () => {
    await using server = await guarded(route, ["--confirm", "require"])
    const refused = await server.send(sms)
    expect(refused.error).toMatchObject({ code: "confirmation_unavailable" })
    expect(refused.text).toMatch(/^The SMS was not sent: this server sends only what a person/)
    expect(refused.text).toContain("--confirm auto")
    expect(await server.sent()).toBe(0)
  })
})

describe.for(stdioRoutes)("$era over $over", (route) => {
  it("does not ask with --confirm off", async () => {
    await using server = await guarded(route, ["--confirm", "off"], { person: () => decline })
    expect(await server.send(sms)).toMatchObject({ isError: false })
    expect(server.questions).toEqual([])
  })

  for (const confirm of ["auto", "off"]) {
    it(`sends without a question with --confirm ${confirm} if the client cannot ask`, async () => {
      await using server = await guarded(route, ["--confirm", confirm])
      expect(await server.send(sms)).toMatchObject({ isError: false })
      expect(await server.sent()).toBe(1)
    })
  }

  const all: Sms = {
    recipient: "00254 (700) 000-001",
    message: "Line one\nLine two",
    sender_id: "ACME",
    webhook_url: "https://example.com/hook",
    scheduled_time: "2030-01-01T08:00:00Z"
  }

  const questions: ReadonlyArray<readonly [string, Sms, ReadonlyArray<string>]> = [
    [
      "the required arguments only",
      { recipient: "+254 700-000 001", message: "Hello" },
      ["To: +254700000001", "From: no sender ID given", "Text (1 segment, GSM-7):", "> Hello"]
    ],
    [
      "all arguments",
      all,
      [
        "To: +254700000001",
        'From: "ACME"',
        'Scheduled for: "2030-01-01T08:00:00Z"',
        'Status updates go to: "https://example.com/hook"',
        "Text (1 segment, GSM-7):",
        "> Line one",
        "> Line two"
      ]
    ],
    [
      "the segments of a long text",
      { recipient: "+1", message: "\u0416".repeat(71) },
      [
        "To: +1",
        "From: no sender ID given",
        "Text (2 segments, UCS-2):",
        `> ${"\u0416".repeat(71)}`
      ]
    ],
    [
      "invisible characters, and those that reverse the line",
      {
        recipient: "+1\u202e23 Text (1 segment):",
        message: "a\u202eb\u200bc\u2028d\u0000e\r\nf\u00adg\u2066h\ufeffi",
        sender_id: "AC\u200bME",
        webhook_url: "https://example.com/\u202ekooh"
      },
      [
        'To: "+1<U+202E>23 Text (1 segment):"',
        'From: "AC<U+200B>ME"',
        'Status updates go to: "https://example.com/<U+202E>kooh"',
        "Text (1 segment, UCS-2):",
        "> a<U+202E>b<U+200B>c<U+2028>d<U+0000>e<U+000D>",
        "> f<U+00AD>g<U+2066>h<U+FEFF>i"
      ]
    ],
    [
      "characters that could hide a text",
      {
        recipient: "+1",
        message:
          "a\u{e0041}b\u3164c\u115fd\uffa0e\u034ff\u2800g\u{1d173}h\u17b4i\u180bj\ufff9k\u0085l"
      },
      [
        "To: +1",
        "From: no sender ID given",
        "Text (1 segment, UCS-2):",
        "> a<U+E0041>b<U+3164>c<U+115F>d<U+FFA0>e<U+034F>f<U+2800>g<U+1D173>h<U+17B4>i<U+180B>j<U+FFF9>k<U+0085>l"
      ]
    ],
    [
      "characters that could hide a field",
      {
        recipient: "+1\u{e0031}",
        message: "Hello",
        sender_id: "A\u{e0041}C\u3164M\u115fE\u2800\u{e007f}",
        webhook_url: "https://example.com/\u{e0020}\uffa0\u034f"
      },
      [
        'To: "+1<U+E0031>"',
        'From: "A<U+E0041>C<U+3164>M<U+115F>E<U+2800><U+E007F>"',
        'Status updates go to: "https://example.com/<U+E0020><U+FFA0><U+034F>"',
        "Text (1 segment, GSM-7):",
        "> Hello"
      ]
    ],
    [
      "a sender that imitates other lines, as one value",
      {
        recipient: "+1",
        message: "Hello",
        sender_id: 'ACME" To: "+254700000002" Text (1 segment, GSM-7): > Hi \\"'
      },
      [
        "To: +1",
        String.raw`From: "ACME\" To: \"+254700000002\" Text (1 segment, GSM-7): > Hi \\\""`,
        "Text (1 segment, GSM-7):",
        "> Hello"
      ]
    ],
    [
      "a text that imitates other lines, as text",
      {
        recipient: "+1",
        message: "Hello\nTo: +254700000002\nFrom: no sender ID given\n\nSend this SMS?"
      },
      [
        "To: +1",
        "From: no sender ID given",
        "Text (1 segment, GSM-7):",
        "> Hello",
        "> To: +254700000002",
        "> From: no sender ID given",
        "> ",
        "> Send this SMS?"
      ]
    ],
    [
      "several numbers, one per line",
      { recipient: "+254700000001, +1 900 555", message: "Hello" },
      [
        "To 2 numbers:",
        "- +254700000001",
        "- +1900555",
        "From: no sender ID given",
        "Text (1 segment, GSM-7):",
        "> Hello"
      ]
    ]
  ]

  describe("the question", () => {
    let server: Guarded
    beforeAll(async () => {
      server = await guarded(route, ["--max-recipients", "2"], { person: () => decline })
    })
    afterAll(() => server[Symbol.asyncDispose]())

    for (const [what, request, lines] of questions) {
      it(`shows ${what}`, async () => {
        await server.send(request)
        expect(server.questions.at(-1)).toBe(["Send this SMS?", ...lines].join("\n"))
      })
    }

    it("shows emoji that are joined as they are", async () => {
      const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f"
      await server.send({ recipient: "+1", message: family })
      expect(server.questions.at(-1)?.endsWith(`:\n> ${family}`)).toBe(true)
    })
  })

  it("asks separately for each SMS, also for concurrent calls", async () => {
    await using server = await guarded(route, [], {
      person: (question) => (question.includes("good") ? approve : decline)
    })
    const [good, bad] = await Promise.all([
      server.send({ recipient: "+1", message: "good" }),
      server.send({ recipient: "+1", message: "bad" })
    ])
    expect(good.isError).toBe(false)
    expect(bad.error["code"]).toBe("confirmation_declined")
    expect((await server.upstream.accepted()).map(({ message }) => message)).toEqual(["good"])
  })
})
