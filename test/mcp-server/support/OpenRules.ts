import type { Rules } from "@messaging-topup/mcp-server/src/send/Rules.ts"

/** Every recipient is allowed, nobody is asked, and there is no limit of the hour or the day. */
export const openRules: Rules = {
  tools: ["send_sms", "send_sms_batch"],
  sendingOff: undefined,
  allowLists: { value: [], option: "allow-recipients" },
  senderIds: undefined,
  webhookHosts: [],
  maximums: {
    "max-segments": { value: 10, option: "max-segments" },
    "max-batch": { value: 100, option: "max-batch" }
  },
  confirm: { value: "off", option: "confirm" },
  limits: []
}
