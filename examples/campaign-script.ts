import { openCampaigns } from "@messaging-topup/campaign/promise"
import { env } from "node:process"

const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = env
if (!baseUrl || !token) throw new Error("set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")

const campaigns = openCampaigns({ journal: "campaigns.sqlite", baseUrl, token })
const request = { recipient: "+15550100123", message: "Your order has arrived" }
try {
  const events = campaigns.run("orders", [{ key: "order-1", request }])
  for await (const event of events) console.log(event)
} finally {
  await campaigns.close()
}
