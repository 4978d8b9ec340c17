/** All tools, in the order of the list: what a call of each asks of the service. */
import * as Struct from "effect/Struct"

export const tools = {
  preview_sms: "nothing",
  send_sms: "to send",
  send_sms_batch: "to send",
  get_sms_status: "to read",
  get_airtime_status: "to read",
  get_data_bundle_status: "to read",
  list_data_bundles: "to read",
  list_recent_sends: "nothing"
} as const

type Tools = typeof tools

export type ToolName = keyof Tools

/** The tools that ask this. A table of them is a record, so that a new tool has to be in it. */
export type ToolThatAsks<Asked extends Tools[ToolName]> = {
  [Name in ToolName]: Tools[Name] extends Asked ? Name : never
}[ToolName]

export const toolNames = Struct.keys(tools)

/** Those of a server with `--read-only`. */
export const readingNames = toolNames.filter((name) => tools[name] !== "to send")
