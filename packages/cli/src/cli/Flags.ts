/** The options and arguments of the commands. */
import { journalVariable } from "@messaging-topup/journal/internal"
import {
  argument,
  general,
  list,
  number,
  on,
  type Option,
  text,
  type Values
} from "@messaging-topup/command"

const yes = { yes: on("Skips the question") }

/** What every command has. */
const common = {
  campaign: text("name", "the file's name without its extension", "The campaign"),
  journal: text(
    "file",
    `that of ${journalVariable}, or a file of this user`,
    `Where sends are remembered: a file, or postgres, whose URL is in ${journalVariable}`
  ),
  ...general
}

/** For commands that write, because what is accepted is stored. The others read without it. */
const writing = {
  acceptFailover: on(
    "Goes on although another PostgreSQL server took over, and the last sends may be missing in it"
  )
}

const file = { file: argument("list.csv", "A file of rows; - reads stdin") }

/** For commands on a campaign whose name may be given instead. */
const fileIfAny: { readonly file: Option<string | undefined> } = {
  file: {
    ...text("list.csv", "", "The file of rows; not needed with --campaign"),
    kind: "argument"
  }
}

/** How a file is read. All commands on one file need the same. */
const reading = {
  recipientColumn: text("name", "recipient", "The column with the phone numbers"),
  keyColumn: text(
    "name",
    "key",
    "The column that identifies a row, such as the number of an order"
  ),
  ignoreColumns: on("Ignores unknown columns; otherwise they are an error"),
  template: text(
    "text",
    "the column message",
    'The text of all rows, with columns of the file, as in "Hello {name}"'
  ),
  country: text(
    "code",
    "numbers are not changed",
    "Changes numbers to E.164, as numbers of this country, such as NG; needs the package libphonenumber-js"
  ),
  exclude: text(
    "file",
    "none",
    "Numbers that are not written to: one per line, or CSV with a column recipient"
  ),
  allowRepeats: on(
    "Sends several SMS of the campaign to one recipient; otherwise a second row is invalid"
  ),
  limit: number("count", "all", "Sends only so many rows, the first that can be sent"),
  to: text(
    "number",
    "",
    "A trial: sends the first rows (three, or --limit) to this number, as campaign trial:NAME"
  )
}

const zone = {
  timeZone: text(
    "zone",
    "that of this machine",
    "The time zone of the times that are shown, and of the quiet hours, by its IANA name, such as Africa/Nairobi"
  )
}

const out = { out: text("file", "stdout", "The file to write; only you may read it") }

/** The options of each command, in the order of its help. */
export const run = {
  ...file,
  dryRun: on("Shows what would be sent, and stops. Needs no account, and stores nothing"),
  retry: text("rejected", "", "Sends rows again that the service rejected; they may have changed"),
  ...yes,
  sandbox: on(
    "Sends to a sandbox in this process, as campaign sandbox:NAME: no account is needed, and nothing is really sent"
  ),
  newJournal: on(
    "With --yes: the journal is new, so nothing was sent before; otherwise it must exist"
  ),
  ...reading,
  // The help shows the defaults of the library, which checks the bounds.
  concurrency: number("count", "50", "Maximum requests in flight"),
  messagesPerSecond: number(
    "rate",
    "no limit",
    "Maximum messages per second of this campaign, for all its processes together"
  ),
  quietHours: text(
    "HH:MM-HH:MM",
    "none",
    "Hours of each day in which nothing is sent; needs --time-zone"
  ),
  ...zone,
  ...writing,
  ...common
}

export const results = {
  ...file,
  statuses: on("Asks the service for the status of each sent SMS; it is stored nowhere"),
  ...out,
  ...reading,
  ...common
}

export const report = {
  ...fileIfAny,
  ...out,
  ...zone,
  ...reading,
  ...common
}

export const resolve = {
  ...fileIfAny,
  sent: on("They went out"),
  notSent: on("They did not go out, and nothing sends them"),
  resend: on("They did not go out, and the next run sends them. Recipients may get a second SMS"),
  line: list("line", "all rows", "The line of a row in its file; may be repeated"),
  ...yes,
  ...reading,
  ...writing,
  ...common
}

export const prune = {
  ...fileIfAny,
  unknown: on("Also if it has rows whose outcome is unknown"),
  ...yes,
  ...writing,
  ...common
}

export type RunFlags = Values<typeof run>
export type ResultsFlags = Values<typeof results>
export type ReportFlags = Values<typeof report>
export type ResolveFlags = Values<typeof resolve>
export type PruneFlags = Values<typeof prune>

/** The options of every command that reads a file, and of every command on a journal. */
export type ListFlags = Values<typeof file & typeof reading>
export type JournalFlags = Pick<RunFlags, "journal"> &
  Partial<Pick<RunFlags, "acceptFailover" | "dryRun" | "newJournal" | "sandbox" | "yes">>
