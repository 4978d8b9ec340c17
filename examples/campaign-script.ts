import { openJournal } from "@messaging-topup/journal/promise"
import { env } from "node:process"

const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = env
if (!baseUrl || !token) throw new Error("set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")

const campaigns = openJournal({ journal: "campaigns.sqlite", baseUrl, token })
const request = { recipient: "+15550100123", message: "Your order has arrived" }
try {
  // Rows may also be an async iterable, such as the rows of a database.
  const { rows } = await campaigns.sendMany([{ key: "order-1", request }], { campaign: "orders" })
  console.log(rows)
} finally {
  await campaigns.close()
}
