/** The schemas of requests and responses. Their types, with the meaning of each field, are in `Model.ts`. */
import * as Schema from "effect/Schema"
import type * as Model from "./Model.ts"

/** A text that may be missing, because the description does not say that the service always sends it. */
const optionalText = Schema.optionalKey(Schema.String)

const described = (description: string) => Schema.String.annotate({ description })

/** An SMS to send. Source: service description §2.1 */
export const SendSmsRequest = Schema.Struct({
  recipient: described("Phone number of the recipient"),
  message: described("Text of the message"),
  sender_id: Schema.optionalKey(described("Custom sender ID, where applicable")),
  webhook_url: Schema.optionalKey(described("URL that receives status updates")),
  scheduled_time: Schema.optionalKey(described("Time at which to schedule the message"))
} satisfies Record<keyof Model.SendSmsRequest, unknown>).annotate({ identifier: "SendSmsRequest" })

/** What the service accepted for one recipient. Source: service description §2.2 */
export const SendResult = Schema.Struct({
  recipient: described("The recipient's phone number"),
  message_id: described("Unique identifier of the message"),
  status: described("Status of the message")
}).annotate({ identifier: "SendResult" })

/** The response to an accepted message. Source: service description §2.2 */
export const SendSmsResponse = Schema.Struct({
  success: Schema.Boolean.annotate({ description: "Whether the request succeeded" }),
  status: Schema.Int.annotate({ description: "HTTP status code of the request" }),
  message: described("Text describing the result"),
  data: Schema.Array(SendResult).annotate({ description: "One entry per recipient" })
}).annotate({ identifier: "SendSmsResponse" })

/** What the client needs of it: the fields around the results are not worth a failed call. */
export const NeededSendSmsResponse = Schema.Struct({
  ...SendSmsResponse.fields,
  status: Schema.optionalKey(Schema.Int),
  message: optionalText
})

/** Source: service description §4.2, §4.3 */
const envelope = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    success: Schema.optionalKey(Schema.Boolean),
    status: Schema.optionalKey(Schema.Int),
    message: optionalText,
    data: Schema.Array(item)
  })

/** The status of one SMS. Source: service description §2.3 */
export const SmsStatusRecord = Schema.Struct({
  recipient: optionalText,
  message_id: optionalText,
  status: Schema.String,
  date_created: optionalText,
  sender_id: optionalText
}).annotate({ identifier: "SmsStatusRecord" })

/** The status records of one SMS. Source: service description §4.2 */
export const GetSmsStatusResponse = envelope(SmsStatusRecord).annotate({
  identifier: "GetSmsStatusResponse"
})

/** One airtime purchase. Source: service description §2.4 */
export const AirtimeStatusRecord = Schema.Struct({
  message_id: optionalText,
  status: Schema.String,
  recipient_phone: optionalText,
  recipient_network: optionalText,
  date_created: optionalText,
  amount: optionalText
}).annotate({ identifier: "AirtimeStatusRecord" })

/** The purchase history of an airtime purchase. Source: service description §4.3 */
export const GetAirtimeStatusResponse = envelope(AirtimeStatusRecord).annotate({
  identifier: "GetAirtimeStatusResponse"
})

/** The status of one data bundle purchase, without an envelope. Source: service description §2.5 */
export const GetDataBundleStatusResponse = Schema.Struct({
  transaction_id: optionalText,
  recipient_phone: optionalText,
  recipient_network: optionalText,
  plan_id: optionalText,
  status: Schema.String
}).annotate({ identifier: "GetDataBundleStatusResponse" })

/** One data bundle on offer. Source: service description §2.6 */
export const DataBundle = Schema.Struct({
  bundle_id: Schema.String,
  name: optionalText,
  price: optionalText,
  data_amount: optionalText,
  validity: optionalText
}).annotate({ identifier: "DataBundle" })

/** The available data bundles. Source: service description §2.6 */
export const ListDataBundlesResponse = Schema.Struct({
  category: Schema.Array(DataBundle)
}).annotate({ identifier: "ListDataBundlesResponse" })

/** The caller's own query parameters. Source: service description §4.5 */
export const ListDataBundlesQuery = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Array(Schema.String)])
)

/** The error body of the service. Source: service description §2.7 */
export const ErrorBody = Schema.Struct({
  success: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Always false in an error body" })
  ),
  error: Schema.Struct({
    status: Schema.optionalKey(
      Schema.Int.annotate({ description: "HTTP status code", format: "int32" })
    ),
    title: Schema.optionalKey(described("Short title of the error")),
    detail: Schema.optionalKey(described("Explanation"))
  }).annotate({ description: "Error detail" })
}).annotate({ identifier: "ErrorBody" })
