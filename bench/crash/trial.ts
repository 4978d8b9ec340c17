/**
 * One trial of a sender, and the SMS that it sends.
 */
import { join } from "node:path"

/** Where a sender works: its service, its files, and the schema of its name on this port's PostgreSQL. */
export interface Trial {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly url: string
}

const token = "token-of-the-benchmark"

/** The settings of our senders. Claims of a killed one read as unknown after this time-out and ten seconds. */
export const environmentOf = ({ folder, url }: Trial) => ({
  MESSAGING_TOPUP_BASE_URL: url,
  MESSAGING_TOPUP_TOKEN: token,
  MESSAGING_TOPUP_TIMEOUT: "5 seconds",
  MESSAGING_TOPUP_JOURNAL: join(folder, "journal.sqlite")
})

export const smsOf = (key: string) => ({
  recipient: `+1555${key}`,
  message: `Your code is ${key}`
})

/** The key of the SMS in a request. */
export const keyOf = (body: string): string => /"\+1555(\d+)"/.exec(body)?.[1] ?? ""

/** Sends without any of our code. */
export const post = async (url: string, key: string): Promise<void> => {
  const { ok } = await fetch(`${url}/sms/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(smsOf(key))
  })
  if (!ok) throw new Error("The service did not accept it")
}
