/** Runs the Effect diagnostics on every file of the workspace; warnings fail. */
import { spawnSync } from "node:child_process"
import { bounded, stdoutOf } from "./support.ts"

const args = "diagnostics --project tsconfig.json --strict --severity error,warning --format text"
const report = stdoutOf(spawnSync("effect-tsgo", args.split(" "), bounded))

// Without the plugin in tsconfig.base.json, the command checks no files and succeeds.
const [, checked, all] = /Checked (\d+) files out of (\d+) files/.exec(report) ?? []
if (checked === undefined || checked === "0" || checked !== all) {
  throw new Error(`The Effect diagnostics left files unchecked: ${report}`)
}
console.log(report.trimEnd())
