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

const airtimeRecord = (number: string, status: string, recipient_network: string) => ({
  message_id: `sbx-air-${number}`,
  status,
  recipient_phone: `+1555000${number}`,
  recipient_network,
  date_created: "2026-01-15T09:30:00.000Z",
  amount: "10.00"
})

const dataBundleRecord = (number: string, status: string, recipient_network: string) => ({
  transaction_id: `sbx-data-${number}`,
  recipient_phone: `+1555000${number}`,
  recipient_network,
  plan_id: "sandbox-mobile-1gb",
  status
})

/** For a reference code that forces an outcome and has no record of its own. */
export const sampleAirtime = airtimeRecord("1001", "SANDBOX_DELIVERED", "Sandbox Mobile")

/** For a reference code that forces an outcome and has no record of its own. */
export const sampleDataBundle = dataBundleRecord("2001", "SANDBOX_DELIVERED", "Sandbox Mobile")

/** By reference code. */
export const airtime: ReadonlyMap<string, AirtimeStatusRecord> = new Map([
  ["AIR-1001", sampleAirtime],
  ["AIR-1002", airtimeRecord("1002", "SANDBOX_QUEUED", "Example Tel")]
])

/** By reference code. */
export const dataBundles: ReadonlyMap<string, GetDataBundleStatusResponse> = new Map([
  ["DATA-2001", sampleDataBundle],
  ["DATA-2002", dataBundleRecord("2002", "SANDBOX_QUEUED", "Example Tel")]
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
