/**
 * Kills processes that send a campaign a hundred times, on SQLite and on PostgreSQL.
 *
 *     node test/campaign/programs/kill.ts [kills]
 */
import { killOnEach } from "../../journal/support/KillOnEach.ts"
import { killRepeatedly } from "../support/Kills.ts"

await killOnEach(
  killRepeatedly,
  ({ forgotten, others, twice }) => twice.length + forgotten.length + others.length > 0
)
