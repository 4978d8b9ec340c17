/** Which records of a response are of the SMS that was asked for. The service documents neither their number nor their ids. */
import type { GetSmsStatusResponse, SmsStatusRecord } from "./operations/Model.ts"

/** A record without an id is of the SMS, too. */
export const ownRecords = (
  messageId: string,
  { data }: Pick<GetSmsStatusResponse, "data">
): ReadonlyArray<SmsStatusRecord> =>
  data.filter(({ message_id = messageId }) => message_id === messageId)
