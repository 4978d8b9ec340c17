import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fixtureHost, type Host, ownHost } from "./conformance/Hosts.ts"
import { fixtureExceptions, ownExceptions } from "./conformance/NotApplicable.ts"
import { type Outcome, requiredScenarios, runSuite, suites } from "./conformance/Suite.ts"

const hosts = [
  { what: "the fixtures on our HTTP server", open: fixtureHost, exceptions: fixtureExceptions },
  { what: "our server", open: ownHost, exceptions: ownExceptions }
]

describe.each(hosts)("$what", ({ exceptions, open }) => {
  describe.each(Object.entries(suites))("%s", (name, suite) => {
    const excepted = exceptions[name as keyof typeof suites]

    let host: Host | undefined
    let outcomes: ReadonlyMap<string, Outcome> = new Map()

    beforeAll(async () => {
      host = await open()
      outcomes = await runSuite(suite, host.url)
    }, 60_000)

    afterAll(async () => {
      await host?.[Symbol.asyncDispose]()
    })

    it("passes every scenario except the listed ones", () => {
      const problems = [...outcomes].filter(
        ([scenario, { passed }]) => !passed && !Object.hasOwn(excepted, scenario)
      )
      expect(problems).toEqual([])
    })

    it("ran every scenario that the suite requires", async () => {
      const required = await requiredScenarios(suite)
      expect(required.length).toBeGreaterThan(20)
      expect(required.filter((scenario) => !outcomes.has(scenario))).toEqual([])
    })

    it("lists no exception that passes or that is unknown", () => {
      const stale = Object.keys(excepted).filter(
        (scenario) => outcomes.get(scenario)?.passed !== false
      )
      expect(stale).toEqual([])
    })

    it("fails only the listed checks of a scenario with several checks", () => {
      for (const [scenario, { checks }] of Object.entries(excepted)) {
        if (checks === undefined) continue
        const failed = Object.keys(outcomes.get(scenario)?.problems ?? {})
        expect(failed.toSorted(), scenario).toEqual(checks.toSorted())
      }
    })
  })
})
