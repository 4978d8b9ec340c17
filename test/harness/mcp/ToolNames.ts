/** The names of all tools, in the order of the list. */
export const toolNames: ReadonlyArray<string> = [
  "preview_sms",
  "send_sms",
  "send_sms_batch",
  "get_sms_status",
  "get_airtime_status",
  "get_data_bundle_status",
  "list_data_bundles",
  "list_recent_sends"
]
