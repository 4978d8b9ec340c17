import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { folder } from "../../journal/support/Files.ts"
import { onSandboxIn, sandboxed, start } from "../../support/Programs.ts"

const [ann, bob, cyd] = ["+15550100123", "+15550100124", "+15550100900"]

const texts = Effect.flatMap(Sandbox, ({ messages }) =>
  Effect.map(messages(), (sms) => sms.map(({ recipient }) => recipient))
)

describe("the examples of campaigns", () => {
  it.live("send once, list unknown rows, decide on them, and read statuses", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const example = (name: string, ...args: ReadonlyArray<string>) =>
        onSandboxIn(place, `examples/${name}.ts`, ...args)

      const sent = yield* example("campaign", ann, bob, cyd)
      expect(sent).toMatchObject({ code: 0, stderr: "" })
      expect(sent.stdout).toContain("sent: 2, rejected: 0, unknown: 1")
      yield* example("campaign", ann, bob, cyd)
      expect((yield* texts).toSorted()).toEqual([ann, bob, cyd])

      const listed = yield* example("campaign-unknown")
      expect(listed.stdout).toMatch(/^\+15550100900 \d{4}-\S+Z ConnectionLost\n$/)
      expect(yield* example("campaign-unknown", "sent", cyd)).toMatchObject({
        code: 0,
        stdout: "sent: 1, not yet: 0\n"
      })

      const asked = "campaign-after"
      expect((yield* example(asked, "SANDBOX_DELIVERED")).stdout).toContain("read: 2, final: 0")
      const after = yield* example(asked, "SANDBOX_DELIVERED")
      expect(after).toMatchObject({ code: 0, stderr: "" })
      expect(after.stdout).toContain("{ read: 2, final: 2, failed: 0 }")
      expect(after.stdout).toContain(`${ann} sent SANDBOX_DELIVERED\n`)
      expect(after.stdout).toContain(`${cyd} sent \n`)
    }).pipe(sandboxed)
  )

  it.live.each(["campaign", "campaign-after"])(
    "%s.ts names the missing variable in one line",
    (name) =>
      Effect.gen(function* () {
        const { code, stderr } = yield* start({
          script: `examples/${name}.ts`,
          folder: yield* folder
        })
        expect(code).toBe(1)
        expect(stderr).toMatch(/^.*MESSAGING_TOPUP_BASE_URL.*\n$/)
      }).pipe(Effect.scoped)
  )
})
