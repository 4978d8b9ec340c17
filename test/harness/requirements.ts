/**
 * Every statement of the service description that this project implements.
 *
 * A test names the statement that it verifies with `requirement(id)`. Requirements.test.ts fails
 * for a statement without a test.
 */
export const requirements = {
  "1-json": "All bodies are JSON (application/json)",
  "2.1-fields":
    "A send request has recipient and message, and may have sender_id, webhook_url and scheduled_time",
  "2.2-fields": "A send response has success, status, message and data, one entry per recipient",
  "2.3-fields":
    "An SMS status record has recipient, message_id, status, date_created and sender_id",
  "2.4-fields":
    "An airtime status record has message_id, status, recipient_phone, recipient_network, date_created and amount",
  "2.5-fields":
    "A data bundle status has transaction_id, recipient_phone, recipient_network, plan_id and status, without an envelope",
  "2.6-fields":
    "The bundle list has category, an array of bundle_id, name, price, data_amount and validity",
  "2.7-fields": "An error body has success false and error with status, title and detail",
  "2.8-formats":
    "Formats of times, dates, amounts, prices, validity, data amounts and phone numbers are not shown",
  "3-statuses": "The allowed values of the status fields are not shown",
  "4.1-request": "POST /sms/send takes the send request as its JSON body",
  "4.1-success": "Sending an SMS gets HTTP 202",
  "4.1-errors": "Sending an SMS documents 400, 401, 402, 403, 404 and 500",
  "4.2-request": "GET /sms/{message_id} returns the status of one SMS",
  "4.2-success": "An SMS status gets HTTP 200 and an envelope of records",
  "4.2-errors": "An SMS status documents 400, 401, 403, 404 and 500",
  "4.3-request":
    "GET /v1/airtime/{referencecode} returns the purchase history of an airtime purchase",
  "4.3-success": "An airtime status gets HTTP 200 and an envelope of records",
  "4.3-errors": "An airtime status documents 400, 401, 403, 404 and 500",
  "4.4-request": "GET /v1/databundle/{referencecode} returns the status of a purchased data bundle",
  "4.4-success": "A data bundle status gets HTTP 200, not wrapped in an envelope",
  "4.4-errors": "A data bundle status documents 400 only",
  "4.5-request": "GET /v1/list-bundles returns the available bundles",
  "4.5-success": "The bundle list gets HTTP 200",
  "4.5-errors": "The bundle list documents 400 only",
  "4.5-query": "The way a network is specified is not shown",
  "5-bearer": "Every endpoint requires Authorization: Bearer <ACCESS_TOKEN>",
  "5-401": "A request with missing or invalid credentials gets 401",
  "5-403": "A caller without sufficient rights gets 403",
  "6-webhook": "The send request accepts a webhook_url",
  "7-status": "Only the HTTP status decides: the status in the body of a 400 is a placeholder",
  "7-titles": "Every error response has a title and a detail",
  "9-prefix": "The airtime, data bundle and list paths begin with /v1/, the SMS paths do not"
} as const

export type RequirementId = keyof typeof requirements

/** The title of a test that verifies this statement. */
export const requirement = (id: RequirementId): string => `[${id}] ${requirements[id]}`
