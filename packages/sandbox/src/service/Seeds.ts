/**
 * Sample records that exist from the start, because the service description has no operation that
 * creates them.
 *
 * Networks, prices and statuses are made up, because the real values are not documented.
 */
import type {
  AirtimeStatusRecord,
  DataBundle,
  GetDataBundleStatusResponse,
  SmsStatusRecord
} from "@messaging-topup/core"

/** The record for an id that forces an outcome and has no message. */
export const sampleSms = (message_id: string): SmsStatusRecord => ({
  recipient: "+15550000000",
  message_id,
  status: "SANDBOX_DELIVERED",
  date_created: "2026-01-15T09:30:00.000Z",
  sender_id: "SANDBOX"
})

/** The record for a reference code that forces an outcome and has no record of its own. */
export const sampleAirtime: AirtimeStatusRecord = {
  message_id: "sbx-air-1001",
  status: "SANDBOX_DELIVERED",
  recipient_phone: "+15550001001",
  recipient_network: "Sandbox Mobile",
  date_created: "2026-01-15T09:30:00.000Z",
  amount: "10.00"
}

/** By reference code. */
export const airtime: ReadonlyMap<string, AirtimeStatusRecord> = new Map([
  ["AIR-1001", sampleAirtime],
  [
    "AIR-1002",
    {
      message_id: "sbx-air-1002",
      status: "SANDBOX_QUEUED",
      recipient_phone: "+15550001002",
      recipient_network: "Example Tel",
      date_created: "2026-01-16T14:05:00.000Z",
      amount: "2.50"
    }
  ]
])

/** The record for a reference code that forces an outcome and has no record of its own. */
export const sampleDataBundle: GetDataBundleStatusResponse = {
  transaction_id: "sbx-data-2001",
  recipient_phone: "+15550002001",
  recipient_network: "Sandbox Mobile",
  plan_id: "sandbox-mobile-1gb",
  status: "SANDBOX_DELIVERED"
}

/** By reference code. */
export const dataBundles: ReadonlyMap<string, GetDataBundleStatusResponse> = new Map([
  ["DATA-2001", sampleDataBundle],
  [
    "DATA-2002",
    {
      transaction_id: "sbx-data-2002",
      recipient_phone: "+15550002002",
      recipient_network: "Example Tel",
      plan_id: "example-tel-5gb",
      status: "SANDBOX_QUEUED"
    }
  ]
])

const networks = ["Sandbox Mobile", "Example Tel", "Testcell"]

const plans = [
  { data_amount: "100MB", price: "0.50", validity: "1 day" },
  { data_amount: "1GB", price: "2.00", validity: "7 days" },
  { data_amount: "5GB", price: "7.50", validity: "30 days" },
  { data_amount: "20GB", price: "20.00", validity: "30 days" }
]

export const bundles: ReadonlyArray<DataBundle> = networks.flatMap((network) =>
  plans.map((plan) => ({
    bundle_id: `${network.toLowerCase().replace(" ", "-")}-${plan.data_amount.toLowerCase()}`,
    name: `${network} ${plan.data_amount}`,
    ...plan
  }))
)
