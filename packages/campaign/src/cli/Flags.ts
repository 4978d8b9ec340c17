/**
 * The options and arguments of the commands.
 */
import {
  argument,
  choice,
  list,
  number,
  on,
  required,
  text
} from "@messaging-topup/sandbox/command-line"

export const yes = { yes: on("Skips the question") }

export const csv = {
  csv: on(
    "Prints whole rows as CSV, with numbers and texts. A cell that a spreadsheet would read as a formula begins with '"
  )
}

export const journal = {
  journal: text(
    "journal",
    "sqlite:./messaging-topup-campaign.sqlite",
    "sqlite:FILE, or postgres, whose address is in MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL"
  )
}

export const campaign = { campaign: required(text("id", "", "The campaign")) }

export const campaignOfFile = {
  campaign: text("id", "the file's name without its extension", "The campaign")
}

export const service = {
  sandbox: on(
    "Sends to a sandbox in this process: no account is needed, and nothing is really sent"
  )
}

export const file = {
  file: argument("rows.csv", "A file of rows; - reads stdin"),
  format: choice(["csv", "ndjson"], "by its extension", "The format of the file"),
  delimiter: text(
    "character",
    "recognised from the header",
    "The character between the columns of CSV, or tab"
  ),
  ignoreColumns: on("Ignores unknown columns; otherwise they are an error"),
  country: text(
    "code",
    "numbers are not changed",
    "Changes numbers to E.164, as numbers of this country, such as NG; needs the package libphonenumber-js"
  ),
  template: text(
    "text",
    "the column message",
    'The text of all rows, with columns of the file, as in "Hello {name}"'
  ),
  exclude: text(
    "file",
    "none",
    "Numbers that are not written to: one per line, or CSV with a column recipient"
  ),
  allowRepeats: on("Sends several rows to one recipient; otherwise the second row is invalid"),
  limit: number("count", "all", "Sends only so many rows, the first that can be sent"),
  to: text(
    "number",
    "",
    "A trial: sends the first rows (three, or --limit) to this number, as campaign trial:ID"
  ),
  pricePerSegment: number("price", "", "Shows what the segments cost")
}

export const zone = {
  timeZone: text(
    "zone",
    "that of this machine",
    "The time zone of the times that are shown, by its IANA name, such as Africa/Nairobi"
  )
}

const anyRate = "no limit"

/** `--help` shows the defaults of the library, which checks the bounds. */
export const sending = {
  concurrency: number("count", "50", "Maximum requests in flight"),
  messagesPerSecond: number(
    "rate",
    anyRate,
    "Maximum messages per second of this campaign, for all its processes together"
  ),
  segmentsPerSecond: number(
    "rate",
    anyRate,
    "Maximum segments per second of this campaign, for all its processes together"
  ),
  accountMessagesPerSecond: number(
    "rate",
    anyRate,
    "Maximum messages per second of the account: of all campaigns on the journal together"
  ),
  accountSegmentsPerSecond: number("rate", anyRate, "The same for segments"),
  maxFailures: number("count", "100", "Pauses the campaign after so many failed sends in a row"),
  tries: number("count", "5", "Maximum tries of a row that does not go out, 1 to 5"),
  quietHours: text(
    "HH:MM-HH:MM",
    "none",
    "Hours of each day in which nothing is sent; needs --time-zone"
  ),
  timeZone: {
    ...zone.timeZone,
    help: "The time zone of the quiet hours and of the times that are shown, by its IANA name, such as Africa/Nairobi"
  }
}

export const queue = {
  queue: on(
    "Puts the rows into the queue for workers (the command work), and send none in this process; needs --journal postgres"
  )
}

export const decision = {
  as: required(
    choice(
      ["resend", "sent", "rejected"],
      "",
      "resend: send once more; sent: they went out; rejected: they did not go out, and are not resent"
    )
  )
}

/** Which rows a decision is about. Several options choose the rows that fit all of them. */
export const chosen = {
  key: list("key", "all rows", "The key of a row; may be repeated"),
  line: list("line", "", "The line of a row in its file; may be repeated"),
  reason: list(
    "reason",
    "",
    "The reason of rows, as failures shows it, such as NotFound or NotFound 404; may be repeated"
  ),
  file: text(
    "file",
    "",
    "A file of keys: one per line, or CSV with a column key, as failures --csv has"
  )
}

export const final = {
  final: required(
    list(
      "status",
      "",
      "A final status, in the service's own text: rows that have it are not read again; may be repeated"
    )
  )
}

export const reads = {
  readsPerSecond: number(
    "rate",
    "20",
    "Maximum reads per second, for all processes on the journal together"
  )
}

export const page = {
  out: text("file", "stdout", "The file for the page"),
  openRecipients: on(
    "Includes the phone numbers of unknown rows; only you may read the file of --out"
  )
}

export const target = { to: required(text("file", "", "The new file")) }

export const retried = {
  rejected: on("Takes up rows that were rejected, and did not go out (required)")
}
