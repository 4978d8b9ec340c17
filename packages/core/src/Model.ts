/**
 * Requests and responses as plain types, with the words of the service description.
 *
 * Whatever the description does not mark as required is optional: a field that is missing in a
 * response is missing here. Formats and sets of values are not described, so they stay strings.
 *
 * @since 0.1.0
 */

/**
 * What to send, to whom. The formats of phone numbers and times are not described: they pass on as
 * they are.
 *
 * Source: service description §2.1
 * @since 0.1.0
 */
export interface SendSmsRequest {
  /** Phone number of the recipient. */
  readonly recipient: string
  /** Text of the message. */
  readonly message: string
  /** Custom sender ID, where applicable. */
  readonly sender_id?: string | undefined
  /** URL that receives status updates. */
  readonly webhook_url?: string | undefined
  /** Time at which to schedule the message. Its format is not described. */
  readonly scheduled_time?: string | undefined
}

/**
 * What the service took for one recipient.
 *
 * Source: service description §2.2
 * @since 0.1.0
 */
export interface SendResult {
  /** The recipient's phone number. */
  readonly recipient: string
  /** Unique identifier of the message. */
  readonly message_id: string
  /** Status of the message, an open set. */
  readonly status: string
}

/**
 * The service accepted the message.
 *
 * Source: service description §2.2
 * @since 0.1.0
 */
export interface SendSmsResponse {
  /** Whether the request succeeded. */
  readonly success: boolean
  /** HTTP status code of the request. */
  readonly status: number
  /** Text describing the result. */
  readonly message: string
  /** One entry per recipient. */
  readonly data: ReadonlyArray<SendResult>
}

/**
 * An entry of a list that is not as described. The rest of the list is there.
 *
 * @since 0.1.0
 */
export interface UnreadableEntry {
  /** Its place in the list that the service sent, from 0. */
  readonly index: number
  /** What is wrong with it, and where, without its values. */
  readonly problem: string
}

/**
 * The status of one SMS.
 *
 * Source: service description §2.3
 * @since 0.1.0
 */
export interface SmsStatusRecord {
  /** Phone number of the recipient. */
  readonly recipient?: string
  /** Unique identifier of the message. */
  readonly message_id?: string
  /** Status of the message, an open set. */
  readonly status: string
  /** When it was created. The format is not described. */
  readonly date_created?: string
  /** Sender ID. */
  readonly sender_id?: string
}

/**
 * One airtime purchase.
 *
 * Source: service description §2.4
 * @since 0.1.0
 */
export interface AirtimeStatusRecord {
  /** Identifier. */
  readonly message_id?: string
  /** Status of the purchase, an open set. */
  readonly status: string
  /** Phone number of the recipient. */
  readonly recipient_phone?: string
  /** Network of the recipient. */
  readonly recipient_network?: string
  /** When it was created. The format is not described. */
  readonly date_created?: string
  /** Amount, as the service writes it. */
  readonly amount?: string
}

/**
 * The envelope of status records.
 *
 * Source: service description §4.2, §4.3
 * @since 0.1.0
 */
export interface StatusResponse<Record> {
  /** Whether the request succeeded. */
  readonly success?: boolean
  /** HTTP status code of the request. */
  readonly status?: number
  /** Text describing the result. */
  readonly message?: string
  /** The status records. */
  readonly data: ReadonlyArray<Record>
  /** Records that are not as described, at most 100; absent if there are none. */
  readonly unreadable?: ReadonlyArray<UnreadableEntry>
}

/**
 * The status of one SMS.
 *
 * Source: service description §4.2
 * @since 0.1.0
 */
export interface GetSmsStatusResponse extends StatusResponse<SmsStatusRecord> {}

/**
 * The purchase history of an airtime purchase.
 *
 * Source: service description §4.3
 * @since 0.1.0
 */
export interface GetAirtimeStatusResponse extends StatusResponse<AirtimeStatusRecord> {}

/**
 * The status of one data bundle purchase, without an envelope.
 *
 * Source: service description §2.5
 * @since 0.1.0
 */
export interface GetDataBundleStatusResponse {
  /** Identifier of the transaction. */
  readonly transaction_id?: string
  /** Phone number of the recipient. */
  readonly recipient_phone?: string
  /** Network of the recipient. */
  readonly recipient_network?: string
  /** Plan that was bought. */
  readonly plan_id?: string
  /** Status of the purchase, an open set. */
  readonly status: string
}

/**
 * One data bundle on offer.
 *
 * Source: service description §2.6
 * @since 0.1.0
 */
export interface DataBundle {
  /** Identifier of the bundle. */
  readonly bundle_id: string
  /** Name. */
  readonly name?: string
  /** Price, as the service writes it. */
  readonly price?: string
  /** Amount of data, as the service writes it. */
  readonly data_amount?: string
  /** Validity, as the service writes it. */
  readonly validity?: string
}

/**
 * The available data bundles.
 *
 * Source: service description §2.6
 * @since 0.1.0
 */
export interface ListDataBundlesResponse {
  /** The available bundles. */
  readonly category: ReadonlyArray<DataBundle>
  /** Bundles that are not as described, at most 100; absent if there are none. */
  readonly unreadable?: ReadonlyArray<UnreadableEntry>
}

/**
 * The caller's own query parameters; a list repeats its parameter.
 *
 * The description says that the list is for a specified network and shows no parameter for it, so
 * nothing here is named or checked: the parameters pass on as they are.
 *
 * Source: service description §4.5
 * @since 0.1.0
 */
export interface ListDataBundlesQuery {
  readonly [parameter: string]: string | ReadonlyArray<string> | undefined
}

/**
 * What `listDataBundles` passes on.
 *
 * @since 0.1.0
 */
export interface ListDataBundlesOptions {
  /** The caller's own query parameters, passed on as they are; a list repeats its parameter. */
  readonly query?: ListDataBundlesQuery | undefined
}
