/** Which recipients get an SMS: each is one phone number, and the rules of `--allow-recipients` allow it. */
import { normalized, Phone, withoutInvisible } from "@messaging-topup/core/internal"
import * as Result from "effect/Result"
import { bothNames } from "../Options.ts"
import { allowed, type AllowRule } from "../AllowList.ts"
import { nothingSent, Refusal } from "./Refusal.ts"

/**
 * The separator of two numbers. A plus sign starts a new number. Each run of blanks is read once, from its
 * start.
 */
const betweenNumbers = /[,;،؛、]|(?<=\d)\s*(?=\+)|(?<!\s)\s+(?=\(\s*\+)/u

/**
 * Splits a recipient at commas, semicolons and plus signs. An entry that is not a number, such as a
 * name, counts as one number.
 */
export const numbersIn = (recipient: string): ReadonlyArray<string> =>
  withoutInvisible(normalized(recipient, "NFKC"))
    .split(betweenNumbers)
    .map((entry) => entry.trim())
    .filter((entry) => /[\p{L}\p{N}]/u.test(entry))

/** Returns the country code of a number in the form that is sent; undefined without one: `0700…`. */
export const countryOf = (recipient: string): string | undefined => {
  const code = recipient.startsWith("+") ? Phone.callingCodeOf(recipient.slice(1)) : undefined
  return code === undefined ? undefined : `+${code}`
}

/** A sign between two digits: the service could read two numbers. A list may have an area code before a slash. */
const betweenDigits = /\p{Nd}[^\p{Nd}+#*/|&\\]*[#*/|&\\][^\p{Nd}+]*\p{Nd}/u

/** A cell of a list with few digits was cut. Whoever names one number to an assistant may mean a short one. */
const notANumber: Record<Exclude<Phone.NotANumber, "few-digits">, string> = {
  letters: "has letters",
  "no-number": "is not a phone number",
  several: "has more digits than one phone number, or names several",
  "spreadsheet-error": "is an error of a spreadsheet",
  "spreadsheet-number": "is a number that a spreadsheet changed",
  "trunk-zero": "has a (0), which is dialled only without the country code"
}

/** Returns what a recipient has of one phone number, without what stands around it. Fails with why it is not one. */
const oneNumberIn = ({
  number,
  problem
}: ReturnType<typeof Phone.read>): Result.Result<string, string> => {
  if (problem === "spreadsheet-number") return Result.fail(notANumber[problem])
  const [only, ...others] = numbersIn(number)
  if (others.length > 0) return Result.fail("names several numbers")
  // The mark of a footnote would be a digit more in the entry.
  const isMarked = /\p{No}/u.test(number)
  if (only === undefined || isMarked || !/\p{Nd}/u.test(only)) {
    return Result.fail("is not a phone number")
  }
  if (betweenDigits.test(only)) return Result.fail("has a sign between its digits")
  const entry = only === number ? { number, problem } : Phone.read(only)
  // What stands around a number is taken off once.
  if (entry.number !== only) return Result.fail(notANumber["no-number"])
  const wrong = entry.problem
  return wrong === undefined || wrong === "few-digits"
    ? Result.succeed(only)
    : Result.fail(notANumber[wrong])
}

const refused = (problem: string): Refusal =>
  new Refusal({
    code: "recipient_unclear",
    ...nothingSent(`its recipient ${problem}`),
    next: "Give one phone number in digits, with + and country code. Ask the person for it, and do not guess."
  })

const notAllowed = new Refusal({
  code: "recipient_not_allowed",
  ...nothingSent("the recipient is not on the list of allowed recipients of this server"),
  next: `If it has no + and country code, ask the person for them. Do not try another number. The person who runs the server can allow it with ${bothNames("allow-recipients")}.`
})

/** Returns the form that is shown to a person and sent: one number loses its separators. */
export const checkRecipient = (
  allowList: ReadonlyArray<AllowRule> | undefined,
  given: string
): Result.Result<string, Refusal> => {
  const read = Phone.read(given)
  const only = oneNumberIn(read)
  if (Result.isFailure(only)) return Result.fail(refused(only.failure))
  const { number } = read
  if (allowList === undefined) {
    const sent = Phone.sentForm(only.success)
    return Result.succeed(Phone.isOneNumber(sent) ? sent : number)
  }
  // With a list, nobody may be asked: then only what is surely one number is sent.
  if (!Phone.isOneNumber(Phone.sentForm(number))) {
    return Result.fail(refused("is not written as one phone number"))
  }
  const listed = allowed(allowList, number)
  return listed === undefined ? Result.fail(notAllowed) : Result.succeed(listed)
}
