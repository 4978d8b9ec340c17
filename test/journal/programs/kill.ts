/**
 * Kills a sending program a hundred times, on SQLite and on PostgreSQL: about two minutes each.
 *
 *     node test/journal/programs/kill.ts [kills]
 */
import { killOnEach } from "../support/KillOnEach.ts"
import { killRepeatedly } from "../support/Kills.ts"

await killOnEach(killRepeatedly, (report) => report.twice.length + report.lost.length > 0)
