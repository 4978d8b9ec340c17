/**
 * The options and arguments of the commands.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

const booleanFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withoutNegation,
    Flag.withDefault(false),
    Flag.withDescription(description)
  )

export const yes = booleanFlag("yes", "Skip the question")

export const csv = booleanFlag(
  "csv",
  "Print whole rows as CSV, with numbers and texts. A cell that a spreadsheet would read as a formula begins with '"
)

export const journal = {
  journal: Flag.String("journal").pipe(
    Flag.optional,
    Flag.withMetavar("JOURNAL"),
    Flag.withDescription(
      "sqlite:FILE, or postgres, whose address is in MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL (default: sqlite:./messaging-topup-campaign.sqlite)"
    )
  )
}

const campaignId = Flag.String("campaign").pipe(Flag.withMetavar("ID"))

export const campaign = {
  campaign: campaignId.pipe(Flag.withDescription("The campaign"))
}

export const campaignOfFile = {
  campaign: campaignId.pipe(
    Flag.optional,
    Flag.withDescription("The campaign (default: the file's name without its extension)")
  )
}

export const service = {
  sandbox: booleanFlag(
    "sandbox",
    "Send to a sandbox in this process: no account is needed, and nothing is really sent"
  )
}

export const file = {
  file: Argument.String("rows.csv").pipe(Argument.withDescription("A file of rows; - reads stdin")),
  format: Flag.Literals("format", ["csv", "ndjson"]).pipe(
    Flag.optional,
    Flag.withDescription("The format of the file (default: by its extension)")
  ),
  delimiter: Flag.String("delimiter").pipe(
    Flag.withDefault(","),
    Flag.withMetavar("CHARACTER"),
    Flag.withDescription("The character between the columns of CSV, or tab")
  ),
  ignoreColumns: booleanFlag(
    "ignore-columns",
    "Ignore unknown columns; otherwise they are an error"
  ),
  country: Flag.String("country").pipe(
    Flag.optional,
    Flag.withMetavar("CODE"),
    Flag.withDescription(
      "Change numbers to E.164, as numbers of this country, such as NG; needs the package libphonenumber-js"
    )
  )
}

export const sending = {
  concurrency: Flag.Int("concurrency").pipe(
    Flag.optional,
    Flag.withDescription("Maximum requests in flight (default: 50)")
  ),
  messagesPerSecond: Flag.Finite("messages-per-second").pipe(
    Flag.optional,
    Flag.withDescription(
      "Maximum messages per second, for all processes on the journal together (default: no limit)"
    )
  ),
  segmentsPerSecond: Flag.Finite("segments-per-second").pipe(
    Flag.optional,
    Flag.withDescription(
      "Maximum segments per second, for all processes on the journal together (default: no limit)"
    )
  ),
  maxFailures: Flag.Int("max-failures").pipe(
    Flag.optional,
    Flag.withDescription("Pause the campaign after so many failed sends in a row (default: 100)")
  ),
  tries: Flag.Int("tries").pipe(
    Flag.optional,
    Flag.withDescription("Maximum tries of a row that does not go out, 1 to 5 (default: 5)")
  ),
  quietHours: Flag.String("quiet-hours").pipe(
    Flag.optional,
    Flag.withMetavar("HH:MM-HH:MM"),
    Flag.withDescription("Hours of each day in which nothing is sent; needs --time-zone")
  ),
  timeZone: Flag.String("time-zone").pipe(
    Flag.optional,
    Flag.withMetavar("ZONE"),
    Flag.withDescription(
      "The time zone of the quiet hours, by its IANA name, such as Africa/Nairobi"
    )
  )
}

export const queue = {
  queue: booleanFlag(
    "queue",
    "Put the rows into the queue for workers (the command work), and send none in this process; needs --journal postgres"
  )
}

export const decision = {
  as: Flag.Literals("as", ["resend", "sent", "rejected"]).pipe(
    Flag.withDescription(
      "resend: send once more; sent: they went out; rejected: they did not go out, and are not resent"
    )
  ),
  key: Flag.String("key").pipe(
    Flag.atLeast(0),
    Flag.withDescription("The key of a row; may be repeated (default: all unknown rows)")
  )
}

export const final = {
  final: Flag.String("final").pipe(
    Flag.atLeast(1),
    Flag.withMetavar("STATUS"),
    Flag.withDescription(
      "A final status, in the service's own text: rows that have it are not read again; may be repeated"
    )
  )
}

export const page = {
  out: Flag.String("out").pipe(
    Flag.optional,
    Flag.withMetavar("FILE"),
    Flag.withDescription("The file for the page (default: stdout)")
  ),
  openRecipients: booleanFlag(
    "open-recipients",
    "Include the phone numbers of unknown rows; only you may read the file of --out"
  )
}
