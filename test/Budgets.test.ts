import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const Budgets = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    unit: Schema.String,
    today: Schema.Finite,
    limit: Schema.Finite
  })
)

const budgets = Schema.decodeUnknownSync(Budgets)(
  JSON.parse(readFileSync(".ci/budgets.json", "utf8"))
)

it.each(budgets)("the limit of $name is close to the value that it was set for", (budget) => {
  const isCount = ["packages", "POSTs"].includes(budget.unit)
  expect(budget.limit).toBeGreaterThanOrEqual(budget.today)
  expect(budget.limit).toBeLessThanOrEqual(isCount ? budget.today : budget.today * 1.04)
})
