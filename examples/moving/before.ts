/** A common way to use `fetch`: every failure is retried once. */
import { env } from "node:process"

const send = async (): Promise<string> => {
  const response = await fetch(`${env["MESSAGING_TOPUP_BASE_URL"]}/sms/send`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${env["MESSAGING_TOPUP_TOKEN"]}`,
      "content-type": "application/json"
    },
    body: JSON.stringify({ recipient: "+15550100123", message: "Your code is 4711" })
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return await response.text()
}

console.log("accepted:", await send().catch(send))
