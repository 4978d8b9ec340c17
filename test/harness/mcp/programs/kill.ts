/**
 * Kills a server a hundred times, with its state in a file.
 *
 *     node test/harness/mcp/programs/kill.ts [kills]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { killRepeatedly } from "../Kills.ts"

const [, , kills = "100"] = process.argv

const folder = mkdtempSync(join(tmpdir(), "messaging-topup-state-"))
const state = { MESSAGING_TOPUP_MCP_STATE: `sqlite:${join(folder, "sends.sqlite")}` }
const report = await killRepeatedly(state, Number(kills))
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify(report))
process.exitCode = report.twice.length + report.forgotten.length > 0 ? 1 : 0
