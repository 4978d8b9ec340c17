import type { Rules } from "@messaging-topup/mcp-server/src/send/Rules.ts"
import * as Duration from "effect/Duration"

/** Every recipient is allowed, nobody is asked, and the limits are far away. */
export const openRules: Rules = {
  canSend: true,
  allowList: undefined,
  maxSegments: 10,
  maxBatch: 100,
  maxSendsPerHour: 1_000_000,
  maxSegmentsPerDay: 1_000_000,
  callerShare: undefined,
  duplicateWindow: Duration.minutes(10),
  confirm: "off",
  webhookUrl: undefined
}
