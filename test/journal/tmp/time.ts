import { StatementSync, DatabaseSync } from "node:sqlite"
const { all } = StatementSync.prototype
const total = new Map<string, [number, number]>()
const note = (k: string, ms: number) => {
  const e = total.get(k) ?? [0, 0]
  e[0] += ms
  e[1]++
  total.set(k, e)
}
StatementSync.prototype.all = function (...a: any) {
  const t = performance.now()
  try {
    return all.apply(this, a)
  } finally {
    note(this.sourceSQL.slice(0, 30), performance.now() - t)
  }
} as any
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (s) {
  const t = performance.now()
  try {
    return exec.call(this, s)
  } finally {
    note(s, performance.now() - t)
  }
}
await import("./perf.ts")
for (const [k, [ms, n]] of total)
  if (ms > 5)
    console.log(
      k.replaceAll("\n", " "),
      ms.toFixed(0),
      "ms",
      n,
      "calls",
      ((ms / n) * 1000).toFixed(0),
      "µs"
    )
