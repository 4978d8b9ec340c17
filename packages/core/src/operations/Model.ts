/**
 * The five operations, with their requests and responses as plain types and with the names of the service
 * description. A field that the description does not mark as required is optional. The description gives no
 * formats and no sets of values, so these fields are strings.
 *
 * The declarations of the promise client refer to this file, so it imports nothing of Effect.
 */
import type {
  GetAirtimeStatusError,
  GetDataBundleStatusError,
  GetSmsStatusError,
  ListDataBundlesError,
  SendSmsError
} from "../errors/DocumentedErrors.ts"

/**
 * An SMS to send.
 *
 * The service does not describe the formats of phone numbers and times, so they are sent unchanged.
 *
 * Source: service description §2.1
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
 * What the service accepted for one recipient.
 *
 * Source: service description §2.2
 */
export interface SendResult {
  /** The recipient's phone number. */
  readonly recipient: string
  /** Unique identifier of the message. */
  readonly message_id: string
  /** Status of the message. The set of values is open. */
  readonly status: string
}

/**
 * The response to an accepted message. `status` and `message` are documented, and absent if the service
 * did not send them in a form that can be read.
 *
 * Source: service description §2.2
 */
export interface SendSmsResponse {
  /** Whether the request succeeded. */
  readonly success: boolean
  /** HTTP status code of the request. */
  readonly status?: number
  /** Text describing the result. */
  readonly message?: string
  /** One entry per recipient. */
  readonly data: ReadonlyArray<SendResult>
}

/**
 * The status of one SMS.
 *
 * Source: service description §2.3
 */
export interface SmsStatusRecord {
  /** Phone number of the recipient. */
  readonly recipient?: string
  /** Unique identifier of the message. */
  readonly message_id?: string
  /** Status of the message. The set of values is open. */
  readonly status: string
  /** Creation time. The format is not described. */
  readonly date_created?: string
  /** Sender ID. */
  readonly sender_id?: string
}

/**
 * One airtime purchase.
 *
 * Source: service description §2.4
 */
export interface AirtimeStatusRecord {
  /** Identifier. */
  readonly message_id?: string
  /** Status of the purchase. The set of values is open. */
  readonly status: string
  /** Phone number of the recipient. */
  readonly recipient_phone?: string
  /** Network of the recipient. */
  readonly recipient_network?: string
  /** Creation time. The format is not described. */
  readonly date_created?: string
  /** Amount, as the service writes it. */
  readonly amount?: string
}

/**
 * The envelope of status records.
 *
 * Source: service description §4.2, §4.3
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
  /**
   * How many records were left out because they do not match the description: not more than the others. Absent if none
   * was.
   */
  readonly unreadable?: number
}

/**
 * The status of one SMS.
 *
 * Source: service description §4.2
 */
export interface GetSmsStatusResponse extends StatusResponse<SmsStatusRecord> {}

/**
 * The purchase history of an airtime purchase.
 *
 * Source: service description §4.3
 */
export interface GetAirtimeStatusResponse extends StatusResponse<AirtimeStatusRecord> {}

/**
 * The status of one data bundle purchase, without an envelope.
 *
 * Source: service description §2.5
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
  /** Status of the purchase. The set of values is open. */
  readonly status: string
}

/**
 * One data bundle on offer.
 *
 * Source: service description §2.6
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
 */
export interface ListDataBundlesResponse {
  /** The available bundles. */
  readonly category: ReadonlyArray<DataBundle>
  /**
   * How many bundles were left out because they do not match the description: not more than the others. Absent if none
   * was.
   */
  readonly unreadable?: number
}

/**
 * The caller's own query parameters. A list repeats its parameter.
 *
 * The description says that the list is for a specified network, but names no parameter for it. So
 * no name is checked, and the parameters are sent unchanged.
 *
 * Source: service description §4.5
 */
export interface ListDataBundlesQuery {
  readonly [parameter: string]: string | ReadonlyArray<string> | undefined
}

/** The options of `listDataBundles`. */
export interface ListDataBundlesOptions {
  /** The caller's own query parameters, sent unchanged. A list repeats its parameter. */
  readonly query?: ListDataBundlesQuery | undefined
}

/** What one operation takes, succeeds with and fails with. */
export interface Operation<Input extends ReadonlyArray<unknown>, Success, Error> {
  /** The arguments of the method. */
  readonly input: Input
  /** What a call succeeds with. */
  readonly success: Success
  /** What a call fails with: the documented errors, and the failures that all operations share. */
  readonly error: Error
}

/** The five operations. Each client makes its methods of them. */
export interface Operations {
  /**
   * Sends an SMS. One call starts at most one request: the call is retried only if its request did
   * not start. `sendOutcome` says for every failure whether the message went out.
   *
   * A program that sends a message again after an error first checks `isSafeToResend(error)`: a script in its loop, and
   * a program with Effect as `Effect.retry({ while: isSafeToResend, times: 2 })`. Without this check, a message whose
   * response was lost goes out again.
   *
   * Source: service description §4.1, POST /sms/send
   */
  readonly sendSms: Operation<[request: SendSmsRequest], SendSmsResponse, SendSmsError>
  /**
   * Returns the status of one SMS.
   *
   * Source: service description §4.2, GET /sms/{message_id}
   */
  readonly getSmsStatus: Operation<[messageId: string], GetSmsStatusResponse, GetSmsStatusError>
  /**
   * Returns the purchase history of an airtime purchase.
   *
   * Source: service description §4.3, GET /v1/airtime/{referencecode}
   */
  readonly getAirtimeStatus: Operation<
    [referenceCode: string],
    GetAirtimeStatusResponse,
    GetAirtimeStatusError
  >
  /**
   * Returns the status of a purchased data bundle.
   *
   * Source: service description §4.4, GET /v1/databundle/{referencecode}
   */
  readonly getDataBundleStatus: Operation<
    [referenceCode: string],
    GetDataBundleStatusResponse,
    GetDataBundleStatusError
  >
  /**
   * Returns the available data bundles.
   *
   * Source: service description §4.5, GET /v1/list-bundles
   */
  readonly listDataBundles: Operation<
    [options?: ListDataBundlesOptions],
    ListDataBundlesResponse,
    ListDataBundlesError
  >
}
