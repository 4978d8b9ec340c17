/**
 * The options that several commands have.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"

const yesOrNo = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withoutNegation,
    Flag.withDefault(false),
    Flag.withDescription(description)
  )

export const yes = yesOrNo("yes", "Do not ask")

export const csv = yesOrNo(
  "csv",
  "The whole rows, with numbers and texts, as CSV. A cell that a spreadsheet would run begins with '"
)

export const journal = {
  journal: Flag.String("journal").pipe(
    Flag.optional,
    Flag.withMetavar("JOURNAL"),
    Flag.withDescription(
      "sqlite:FILE, or postgres with its address in MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL (default: sqlite:./messaging-topup-campaign.sqlite)"
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
    Flag.withDescription("The campaign (default: the name of the file)")
  )
}

export const service = {
  sandbox: yesOrNo(
    "sandbox",
    "Send to a sandbox in this process: no account is needed, and nothing is really sent"
  )
}

export const file = {
  file: Argument.String("rows.csv").pipe(Argument.withDescription("A file of rows; - reads stdin")),
  format: Flag.Literals("format", ["csv", "ndjson"]).pipe(
    Flag.optional,
    Flag.withDescription("Default: by the file's extension")
  ),
  delimiter: Flag.String("delimiter").pipe(
    Flag.withDefault(","),
    Flag.withMetavar("CHARACTER"),
    Flag.withDescription("Between the columns of CSV; tab for a tab")
  ),
  ignoreColumns: yesOrNo("ignore-columns", "Leave out columns that are unknown"),
  country: Flag.String("country").pipe(
    Flag.optional,
    Flag.withMetavar("CODE"),
    Flag.withDescription(
      "Change numbers to E.164, as numbers of this country, such as NG; needs libphonenumber-js"
    )
  )
}

export const sending = {
  concurrency: Flag.Int("concurrency").pipe(
    Flag.optional,
    Flag.withDescription("Maximum requests at a time (default: 50)")
  ),
  messagesPerSecond: Flag.Finite("messages-per-second").pipe(
    Flag.optional,
    Flag.withDescription("Maximum, of all processes on the journal (default: no limit)")
  ),
  segmentsPerSecond: Flag.Finite("segments-per-second").pipe(
    Flag.optional,
    Flag.withDescription("Maximum, of all processes on the journal (default: no limit)")
  ),
  maxFailures: Flag.Int("max-failures").pipe(
    Flag.optional,
    Flag.withDescription("Pause after so many sends in a row that failed (default: 100)")
  ),
  tries: Flag.Int("tries").pipe(
    Flag.optional,
    Flag.withDescription("How often a row is tried that did not go out, 1 to 5 (default: 5)")
  ),
  quietHours: Flag.String("quiet-hours").pipe(
    Flag.optional,
    Flag.withMetavar("HH:MM-HH:MM"),
    Flag.withDescription("When nothing is sent; needs --time-zone")
  ),
  timeZone: Flag.String("time-zone").pipe(
    Flag.optional,
    Flag.withMetavar("ZONE"),
    Flag.withDescription("As the IANA database names it, such as Africa/Nairobi")
  )
}

export const queue = {
  queue: yesOrNo(
    "queue",
    "Hand the rows to workers (the command work), and send none here; needs --journal postgres"
  )
}

export const decision = {
  as: Flag.Literals("as", ["resend", "accepted", "rejected"]).pipe(
    Flag.withDescription("Send once more, or count as accepted, or as not sent")
  ),
  key: Flag.String("key").pipe(
    Flag.atLeast(0),
    Flag.withDescription("A row, by its key; may be repeated (default: all unknown rows)")
  )
}

export const final = {
  final: Flag.String("final").pipe(
    Flag.atLeast(1),
    Flag.withMetavar("STATUS"),
    Flag.withDescription("A status that changes no more, in the service's words; may be repeated")
  )
}

export const page = {
  out: Flag.String("out").pipe(
    Flag.optional,
    Flag.withMetavar("FILE"),
    Flag.withDescription("Where the page goes (default: stdout)")
  ),
  openRecipients: yesOrNo(
    "open-recipients",
    "With the phone numbers of rows of unknown outcome, in a file that only you may read"
  )
}
