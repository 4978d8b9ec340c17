import * as Schema from "effect/Schema"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { isFull, runs } from "../harness/Runs.ts"
import { passTime, setClock } from "../harness/mcp/Clock.ts"
import {
  anyRoute,
  dismiss,
  eachOnce,
  type Guarded,
  guarded,
  decline,
  routes,
  type Sms,
  stdioRoutes,
  approve
} from "../harness/mcp/GuardedServer.ts"

const WholeQuestion = Schema.Struct({
  properties: Schema.Struct({
    whole: Schema.Struct({ items: Schema.Struct({ enum: Schema.Array(Schema.String) }) })
  })
})

const sms = { recipient: "+254 700-000 001", message: "Hello" }

describe.skipIf(isFull).for(routes)("$era over $over", (route) => {
  it("accepts no decision after 10 minutes", async () => {
    let late = true
    await using server = await guarded(route, [], {
      person: async () => {
        server.pass(late ? "602 seconds" : "598 seconds")
        return approve
      }
    })
    const refused = await server.send(sms)
    expect(refused.error).toMatchObject({ code: "confirmation_cancelled" })
    expect(refused.text).toMatch(
      /^This call sent nothing: the question was closed, not shown, or got no reply in time\./
    )
    expect(await server.sent()).toBe(0)
    late = false
    expect(await server.send(sms)).toMatchObject({ isError: false })
  })
})

// Whatever follows from it is in SendModel.test.ts.
describe.skipIf(isFull).for(eachOnce)("a decision within 300 ms, $era over $over,", (route) => {
  it("is the client's own: nobody declined", async () => {
    for (const decision of [decline, dismiss]) {
      await using server = await guarded(route, [], { person: () => decision, reads: "0 seconds" })
      const refused = await server.send(sms)
      expect(refused.error).toMatchObject({ code: "confirmation_unasked", outcome: "not-sent" })
      const did = decision === decline ? "declined" : "closed the question"
      expect(refused.text).toContain(
        `nobody was asked, because the client ${did} by itself, faster`
      )
      // What to do about it is for the operator, not for a model that can start programs.
      expect(JSON.stringify(refused)).not.toContain("--confirm")
      expect(
        await server.log.entry("the client replied by itself, and asked nobody")
      ).toMatchObject({
        level: "warn",
        action: decision === decline ? "decline" : "cancel",
        advice: expect.stringContaining("--confirm off with --allow-recipients")
      })
      expect(await server.upstream.requests()).toEqual([])
    }
  })

  it("is so, however long the server takes to ask and to read the reply", async () => {
    const slow =
      <A extends ReadonlyArray<unknown>, B>(call: (...args: A) => B) =>
      (...args: A) => {
        passTime("400 millis")
        return call(...args)
      }
    const { subtle } = crypto
    const [sign, verify] = [slow(subtle.sign.bind(subtle)), slow(subtle.verify.bind(subtle))]
    vi.spyOn(subtle, "sign").mockImplementation(sign)
    vi.spyOn(subtle, "verify").mockImplementation(verify)
    try {
      await using server = await guarded(route, [], { person: () => approve, reads: "0 seconds" })
      expect((await server.send(sms)).error).toMatchObject({ code: "confirmation_unavailable" })
    } finally {
      vi.restoreAllMocks()
    }
  })

  it.each([
    ["299 millis", "client"],
    ["300 millis", "person"]
  ] as const)("is no approval, and every result says it: %s", async (reads, approved_by) => {
    const list = ["--allow-recipients", "+254*, +1555*"]
    await using server = await guarded(route, list, { person: () => approve, reads })
    const sent = await server.send(sms)
    expect(sent.structured).toMatchObject({ approved_by })
    const word = "No person approved it: the client accepted the question faster than a person"
    expect(sent.text.includes(word)).toBe(approved_by === "client")
    const failed = await server.send({ ...sms, recipient: "+15550000402" })
    expect(failed.error).toMatchObject({ code: "send_failed", approved_by })
  })

  it("is no person who can be asked for a second one", async () => {
    let isFirst = true
    await using server = await guarded(route, ["--allow-recipients", "+254*"], {
      person: async () => {
        const sendsFirst = isFirst
        isFirst = false
        if (sendsFirst) expect((await server.send(sms)).duplicate).toBe(false)
        return approve
      },
      reads: "0 seconds"
    })
    const { duplicate, structured } = await server.send(sms)
    expect(duplicate).toBe(true)
    expect(structured["next"]).not.toContain("again: true")
    expect(await server.sent()).toBe(1)
  })
})

describe.skipIf(isFull).for(eachOnce)(
  "a clock that is set while a person reads, $era over $over,",
  (route) => {
    it.each([-2000, 2000])("by %i ms changes nothing for who really read", async (by) => {
      let decision = approve
      await using server = await guarded(route, ["--confirm", "require"], {
        person: () => {
          setClock(by)
          return decision
        }
      })
      expect(await server.send(sms)).toMatchObject({
        isError: false,
        structured: { approved_by: "person" }
      })
      for (const [refusal, code] of [
        [decline, "confirmation_declined"],
        [dismiss, "confirmation_cancelled"]
      ] as const) {
        decision = refusal
        const refused = await server.send({ ...sms, message: code })
        expect(refused.error).toMatchObject({ code, outcome: "not-sent" })
      }
      expect(server.questions).toHaveLength(3)
      expect(await server.sent()).toBe(1)
    })

    it.each([-2000, 2000])("by %i ms makes no person of a client that decides", async (by) => {
      await using server = await guarded(route, ["--confirm", "require"], {
        person: () => {
          setClock(by)
          return approve
        },
        reads: "0 seconds"
      })
      expect((await server.send(sms)).error["code"]).toBe("confirmation_unavailable")
      expect(await server.sent()).toBe(0)
    })
  }
)

describe.for(isFull ? stdioRoutes : [anyRoute])("$era over $over", (route) => {
  const all: Sms = {
    recipient: "00254 (700) 000-001",
    message: "Line one\nLine two",
    sender_id: "ACME",
    scheduled_time: "2030-01-01T08:00:00Z"
  }

  const long = "x".repeat(80)

  const questions: ReadonlyArray<readonly [string, Sms, string]> = [
    [
      "the required arguments only",
      { recipient: "+254 700-000 001", message: "Hello" },
      'To +254700000001, 1 segment: "Hello"'
    ],
    [
      "all arguments, the text last",
      all,
      String.raw`To +254700000001, from "ACME", scheduled for "2030-01-01T08:00:00Z" (it may go out at once), 1 segment: "Line one\nLine two"`
    ],
    [
      "the segments of a long text",
      { recipient: "+1", message: "\u0416".repeat(71) },
      `To +1, 2 segments: "${"\u0416".repeat(71)}"`
    ],
    [
      "invisible characters, and those that reverse the line",
      {
        recipient: "+1\u202e23",
        message: "a\u202eb\u200bc\u2028d\te\r\nf\u00adg\u2066h\ufeffi",
        sender_id: "AC\u200bME"
      },
      String.raw`To +123, from "AC<U+200B>ME", 1 segment: "a<U+202E>b<U+200B>c<U+2028>d<U+0009>e<U+000D>\nf<U+00AD>g<U+2066>h<U+FEFF>i"`
    ],
    [
      "characters that could hide a text",
      {
        recipient: "+1",
        message: "a\u{e0041}b\u3164c\u115fd\uffa0e\u034ff\u2800g\u{1d173}h\u17b4i\u180bj\ufff9k"
      },
      'To +1, 1 segment: "a<U+E0041>b<U+3164>c<U+115F>d<U+FFA0>e<U+034F>f<U+2800>g<U+1D173>h<U+17B4>i<U+180B>j<U+FFF9>k"'
    ],
    [
      "characters that could hide a field",
      {
        recipient: "+1\u{e0031}",
        message: "Hello",
        sender_id: "A\u{e0041}C\u3164M\u115fE\u2800\u{e007f}"
      },
      'To +1, from "A<U+E0041>C<U+3164>M<U+115F>E<U+2800><U+E007F>", 1 segment: "Hello"'
    ],
    [
      "a sender that imitates the rest, as one value",
      { recipient: "+1", message: "Hello", sender_id: 'ACME", 1 segment: "Hi" \\"' },
      String.raw`To +1, from "ACME\", 1 segment: \"Hi\" \\\"", 1 segment: "Hello"`
    ],
    [
      "a text that imitates a question, as text",
      { recipient: "+1", message: 'Hello"\nSend this SMS? To +254700000002, 1 segment: "Hi' },
      String.raw`To +1, 1 segment: "Hello\"\nSend this SMS? To +254700000002, 1 segment: \"Hi"`
    ],
    [
      "a sender and a time of 80 characters whole",
      {
        recipient: "+1",
        message: "Hello",
        sender_id: long,
        scheduled_time: long.replaceAll("x", "9")
      },
      `To +1, from "${long}", scheduled for "${long.replaceAll("x", "9")}" (it may go out at once), 1 segment: "Hello"`
    ],
    [
      "joiners beside Latin letters, digits and the signs of a link",
      {
        recipient: "+1",
        message:
          "https:/\u200c/bank\u200c.example 47\u200d11 e\u0301\u200db a\ufe0f 1\ufe0f \u2764\ufe0f\ufe0f \u200d"
      },
      'To +1, 1 segment: "https:/<U+200C>/bank<U+200C>.example 47<U+200D>11 e\u0301<U+200D>b a<U+FE0F> 1<U+FE0F> \u2764<U+FE0F><U+FE0F> <U+200D>"'
    ]
  ]

  describe("the question", () => {
    let server: Guarded
    beforeAll(async () => {
      server = await guarded(route, [], { person: () => decline })
    })
    afterAll(() => server[Symbol.asyncDispose]())

    for (const [what, request, question] of questions) {
      it(`shows ${what}`, async () => {
        await server.send(request)
        expect(server.questions.at(-1)).toBe(`Send this SMS? ${question}`)
      })
    }

    it.each([
      "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f",
      "\u{1f441}\ufe0f\u200d\u{1f5e8}\ufe0f \u{1f469}\u{1f3fd}\u200d\u{1f4bb} 1\ufe0f\u20e3 #\ufe0f\u20e3",
      // Persian, Devanagari and Sinhala.
      "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
      "\u0915\u094d\u200d\u0937 \u0d9a\u0dca\u200d\u0dbb"
    ])("shows what is joined as it is: %s", async (joined) => {
      await server.send({ recipient: "+1", message: joined })
      expect(server.questions.at(-1)?.endsWith(`: "${joined}"`)).toBe(true)
    })

    it.each([
      ["Cyrillic", "\u0431\u200d\u0430"],
      ["Greek", "\u03b1\u200c\u03b2"],
      ["Hebrew", "\u05e9\u200c\u05dc"],
      ["Han", "\u652f\u200d\u4ed8"],
      ["Hangul", "\uac00\u200c\ub098"],
      ["Kana", "\u3042\u200d\u3044"],
      ["mathematical letters", "\u{1d41a}\u200d\u{1d41b}"],
      ["Arabic digits", "\u0661\u200c\u0662"],
      ["signs that are no emoji", "\u00a9\u200d\u00ae"],
      ["a letter, of an emoji", "\u0431\ufe0f"]
    ])("shows a joiner beside %s", async (_, text) => {
      await server.send({ recipient: "+1", message: text })
      const code = /\u200c|\u200d|\ufe0f/u.exec(text)?.[0].codePointAt(0)?.toString(16) ?? ""
      expect(server.questions.at(-1)).toContain(`<U+${code.toUpperCase()}>`)
    })

    it.each(["sender_id", "scheduled_time"])(
      "shows all of a %s, or nothing is asked",
      async (field) => {
        const asked = server.questions.length
        for (const value of ["x".repeat(81), "x\u200b".repeat(10)]) {
          const { error, text } = await server.send({
            recipient: "+1",
            message: "Hello",
            [field]: value
          })
          expect(error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
          expect(text).toContain(`${field}: Expected one line of 1 to 80 characters`)
        }
        expect(server.questions).toHaveLength(asked)
      }
    )

    it("quotes the words of a text in its first sentence", async () => {
      const message = "Hi {name. This was already approved by the operator - just press Yes} there"
      await server.send({ recipient: "+1", message })
      expect(server.questions.at(-1)).toBe(
        `Send this SMS? A text has "{name. This was already approved by the operator - just press Yes}", perhaps a placeholder that nobody filled. To +1, 1 segment: "${message}"`
      )
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
    expect((await server.upstream.messages()).map(({ message }) => message)).toEqual(["good"])
  })
})

describe.for(eachOnce)("a client that cuts questions, $era over $over,", (route) => {
  const text = 'Gr\u00fc\u00dfe an "K\u00f6ln" \u{1f600}, \u0436\u0434\u0451\u043c!'
  const recipients = Array.from({ length: 40 }, (_, at) => `+2547${String(at).padStart(8, "0")}`)

  it.skipIf(isFull).each(["claude-code", "codex-mcp-client"])(
    "gets a long one whole, as a list of which every entry must stay chosen: %s",
    async (name) => {
      const forms = new Array<unknown>()
      await using server = await guarded(route, ["--max-sends-per-hour", "200"], {
        name,
        person: (_, form) => {
          forms.push(form)
          return approve
        }
      })
      await server.call("send_sms_batch", { message: text, recipients })
      await server.send({ recipient: "+1", message: "Hello" })
      const [long, short] = forms
      const lines: ReadonlyArray<string> =
        Schema.decodeUnknownSync(WholeQuestion)(long).properties.whole.items.enum
      expect(long).toMatchObject({
        properties: { whole: { default: lines, minItems: lines.length } }
      })
      // Claude Code has a key that removes the whole list. Codex returns none.
      expect(Object.hasOwn(Object(long), "required")).toBe(name === "claude-code")
      const shown = lines.map((line, at) => line.replace(`${at + 1} `, ""))
      expect(shown.join("")).toBe(server.questions[0])
      // Claude Code cuts an entry at 46 columns. It escapes quotes, and a wide character takes two.
      for (const line of lines) {
        const columns = JSON.stringify(line).replace(/[\u1100-\u{10ffff}]/gu, "xx").length
        expect(columns).toBeLessThanOrEqual(46)
      }
      for (const line of shown.slice(0, -1)) expect(line).toMatch(/ $/)
      for (const recipient of recipients) expect(shown.join("\n")).toContain(recipient)
      // An empty form is one without fields, or, in the modern era, none.
      expect(short).toEqual({ type: "object", properties: {} })
      expect(await server.sent()).toBe(41)
    }
  )

  const alphabets = {
    Latin: "abcdefghijklmnopqrstuvwxyzßéñ",
    Greek: "αβγδεζηθικλμνξοπρστυφχψω",
    Cyrillic: "абвгдежзийклмнопрстуфхцчшщыэюя",
    Arabic: "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    Hebrew: "אבגדהוזחטיכלמנסעפצקרשת",
    Devanagari: "कखगघचछजझटठडढणतथदधनपफ",
    Thai: "กขคงจฉชซฌญฎฏฐฑฒณดตถท",
    Ethiopic: "ሀለሐመሠረሰሸቀበተቸኀነኘአ",
    Khmer: "កខគឃងចឆជឈញដឋឌឍណ",
    Chinese: "的一是在不了有和人这中大为上个国我以要他",
    Japanese: "あいうえおカキクケコ東京",
    Korean: "가나다라마바사아자차카타파하",
    emoji: "😀🚀🎉🐘🍎",
    escapes: '"\\\n/:.-'
  }

  const texts = fc
    .constantFrom(...Object.values(alphabets))
    .chain((letters) =>
      fc.array(
        fc
          .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 40, size: "max" })
          .map((word) => word.join("")),
        { minLength: 1, maxLength: 12 }
      )
    )
    .chain((words) =>
      fc
        .integer({ min: 1, max: 100 })
        .map((length) => words.join(" ").slice(0, length).toWellFormed())
    )

  const wide =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu

  /** How many lines a host makes of a text: it breaks only words that are longer than a line. */
  const linesOf = (question: string, columns: number): number => {
    let lines = 1
    let used = 0
    for (const word of question.split(" ")) {
      const width = Array.from(word.replace(wide, "xx")).length
      const isFirst = used === 0
      if (!isFirst && used + 1 + width <= columns) used += 1 + width
      else {
        lines += (isFirst ? 0 : 1) + Math.max(0, Math.ceil(width / columns) - 1)
        used = width <= columns ? width : columns - 1
      }
    }
    return lines
  }

  it.each(["claude-code", "codex-mcp-client"])(
    "never gets one without the list that it cuts, whatever the script: %s",
    async (name) => {
      let form: object = {}
      await using server = await guarded(route, [], {
        name,
        person: (_, asked = {}) => {
          form = asked
          return decline
        }
      })
      const calls = fc.tuple(texts, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 18 })))
      await fc.assert(
        fc.asyncProperty(calls, async ([message, count]) => {
          await server.call("send_sms_batch", { message, recipients: recipients.slice(0, count) })
          const question = server.questions.at(-1) ?? ""
          if (Schema.is(WholeQuestion)(form)) return
          // A window has a border and a margin.
          for (const columns of [40, 56, 60, 80, 100, 120]) {
            expect(linesOf(question, columns - 4), question).toBeLessThanOrEqual(3)
          }
        }),
        { numRuns: runs(300) }
      )
    }
  )
})
