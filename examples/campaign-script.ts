import { isJournalGone, openJournal, SendClosed } from "@messaging-topup/journal/promise"
import process, { env, stderr, stdout } from "node:process"

const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = env
if (!baseUrl || !token) throw new Error("set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")

// An output that takes nothing, as on a full disk, must not end it: Node would exit with 1.
for (const output of [stdout, stderr]) output.on("error", () => {})

// Without an option, it is the journal of this user: from every folder, each SMS goes out once.
const journal = openJournal({ baseUrl, token })

const sendOrder = async () => {
  const request = { recipient: "+15550100123", message: "Your order has arrived" }
  const { isEarlier } = await journal.sendOnce("order-1", request)
  console.log(isEarlier ? "sent before" : "sent")
  return 0
}

const sendList = async () => {
  // Rows may also be an async iterable, such as the rows of a database.
  const request = { recipient: "+15550100124", message: "We open at 9" }
  const { inFlightUntil, rows, sentNow, stop } = await journal.sendMany([{ key: "ann", request }], {
    // What goes out each day needs a name for each day: under the same one, nobody gets a second SMS.
    campaign: "hours",
    onEvent: console.log
  })
  console.log("sent now:", sentNow, rows)
  const { changed, inFlight, notSent, rejected, repeated, unknown } = rows
  if (changed > 0)
    console.error("not sent, as their keys have another SMS in the journal:", changed)
  // Such as a payment that is due: run it again later.
  if (stop !== undefined) console.error("stopped:", stop)
  if (inFlightUntil !== undefined) console.error("run again after", new Date(inFlightUntil))
  // 4: run it again only when a person has put the journal back. 3: it is not known whether an SMS went out.
  if (stop?.reason === "JournalReplaced") return 4
  if (unknown + inFlight > 0) return 3
  return changed + notSent + rejected + repeated > 0 || stop ? 1 : 0
}

// How the order ends does not keep the list from going out. The larger exit code is the worse one.
let exitCode = 0
for (const send of [sendOrder, sendList]) {
  try {
    exitCode = Math.max(exitCode, await send())
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(error.message)
    const isUnknown = "sendOutcome" in error && error.sendOutcome === "unknown"
    // What a person closed needs nothing more.
    const failed = error instanceof SendClosed ? 0 : isUnknown ? 3 : 1
    exitCode = isJournalGone(error) ? 4 : Math.max(exitCode, failed)
    if (exitCode === 4) break
  }
}
await journal.close()
process.exitCode = exitCode
