/**
 * Measures the values that budgets.json limits. None of them depends on the speed of the machine. It prints
 * all values, and fails if one is over its limit. Run `pnpm build` first.
 */
import process from "node:process"
import budgets from "./budgets.json" with { type: "json" }
import { measureBytes } from "./MeasureBytes.ts"
import { measureCalls } from "./MeasureCalls.ts"
import { measureInstalls } from "./MeasureInstalls.ts"

const measured: Readonly<Record<string, number>> = {
  ...(await measureBytes()),
  ...measureInstalls(),
  ...(await measureCalls())
}

const optional = "allocated"

const unlimited = Object.keys(measured).filter(
  (name) => !budgets.some((each) => each.name === name)
)
const unmeasured = budgets
  .filter(({ name }) => measured[name] === undefined && !name.startsWith(optional))
  .map(({ name }) => name)
if (unlimited.length + unmeasured.length > 0) {
  throw new Error(
    `budgets.json and the measures differ: ${[...unlimited, ...unmeasured].join(", ")}`
  )
}

const shown = (value: number): number => Math.round(value * 1000) / 1000

const rows = budgets.flatMap(({ limit, name, today, unit }) => {
  const now = measured[name]
  return now === undefined ? [] : [{ name, unit, "when set": today, now: shown(now), limit }]
})
console.table(rows)

const over = rows.filter(({ limit, now }) => !(now <= limit))
for (const { limit, name, now } of over) {
  console.error(`${name}: ${now} is over the limit of ${limit}`)
}
process.exit(over.length > 0 ? 1 : 0)
