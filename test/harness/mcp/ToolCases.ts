/**
 * A call of each tool that asks the service, and the body of a response to it.
 */
export interface ToolCase {
  readonly name: string
  /** The mark is in the request to the service. */
  readonly args: (mark?: string) => object
  readonly status: number
  /** The text fields of a record. */
  readonly fields: ReadonlyArray<string>
  readonly body: (records: ReadonlyArray<object>) => object
}

let sends = 0

const envelope = (status: number) => (data: ReadonlyArray<object>) => ({
  success: true,
  status,
  message: "As described",
  data
})

export const toolCases: ReadonlyArray<ToolCase> = [
  {
    name: "send_sms",
    args: (mark = "") => ({ recipient: `+2547${++sends}`, message: `Hello ${mark}` }),
    status: 202,
    fields: ["recipient", "message_id", "status"],
    body: envelope(202)
  },
  {
    name: "get_sms_status",
    args: (mark = "m-1") => ({ message_id: mark }),
    status: 200,
    fields: ["recipient", "message_id", "status", "date_created", "sender_id"],
    body: envelope(200)
  },
  {
    name: "get_airtime_status",
    args: (mark = "a-1") => ({ referencecode: mark }),
    status: 200,
    fields: [
      "message_id",
      "status",
      "recipient_phone",
      "recipient_network",
      "date_created",
      "amount"
    ],
    body: envelope(200)
  },
  {
    name: "get_data_bundle_status",
    args: (mark = "d-1") => ({ referencecode: mark }),
    status: 200,
    fields: ["transaction_id", "recipient_phone", "recipient_network", "plan_id", "status"],
    body: ([record = {}]) => record
  },
  {
    name: "list_data_bundles",
    args: (mark = "a") => ({ limit: 100, query: `query=${mark}` }),
    status: 200,
    fields: ["bundle_id", "name", "price", "data_amount", "validity"],
    body: (category) => ({ category })
  }
]

/** Returns records with this text in every field. */
export const records = (
  { fields }: ToolCase,
  times: number,
  value: string
): ReadonlyArray<object> =>
  Array.from({ length: times }, () => Object.fromEntries(fields.map((name) => [name, value])))
