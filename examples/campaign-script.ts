import { openCampaigns } from "@messaging-topup/campaign/promise"
import { env } from "node:process"

await using campaigns = openCampaigns({
  journal: "campaigns.sqlite",
  baseUrl: env["MESSAGING_TOPUP_BASE_URL"] ?? "",
  token: env["MESSAGING_TOPUP_TOKEN"] ?? ""
})
const request = { recipient: "+15550100123", message: "Your order has arrived" }
for await (const event of campaigns.run("orders", [{ key: "order-1", request }])) console.log(event)
