import { isCountry, normalizeTo } from "messaging-topup/src/input/PhoneNumber.ts"
import fc from "fast-check"
import { type CountryCode, getCountries, getCountryCallingCode } from "libphonenumber-js/min"
import { describe, expect, it } from "vitest"
import { runs } from "../harness/Runs.ts"

const problems: ReadonlyArray<readonly [reason: string, problem: RegExp]> = [
  ["not-a-number", /^this is not a phone number/],
  ["unknown-calling-code", /^no country has this calling code/],
  ["too-short", /^this is too short/],
  ["too-long", /^this is too long/],
  ["extension", /^E\.164 has no extensions/],
  ["either-way", /^it may be a number of the country, or one that lost its \+/],
  ["lost-plus", /^this is no number of the country, and with \+ it is that of a mobile phone/],
  ["not-possible", /^no number of the country/]
]

const toE164 = (input: string, country: CountryCode) => normalizeTo(country)(input)

const reasonOf = (input: string, country: CountryCode): string => {
  const result = toE164(input, country)
  if (!("problem" in result)) return "no failure"
  return problems.find(([, problem]) => problem.test(result.problem))?.[0] ?? result.problem
}

describe("toE164", () => {
  it.each<[name: string, input: string, country: CountryCode, expected: string]>([
    ["a national number", "0794606400", "CH", "+41794606400"],
    ["a national number of another country", "0803 123 4567", "NG", "+2348031234567"],
    ["a national number without its trunk prefix", "79 460 64 00", "CH", "+41794606400"],
    ["a number that is E.164 already", "+41794606400", "CH", "+41794606400"],
    ["an international number, with any country", "+41 79 460 64 00", "NG", "+41794606400"],
    ["the prefix 00", "0041 79 460 64 00", "CH", "+41794606400"],
    ["the prefix 011 of North America", "011 41 79 460 64 00", "US", "+41794606400"],
    ["a number that lost its plus", "41794606400", "CH", "+41794606400"],
    ["a mobile number that is another one with +", "15112345678", "DE", "+4915112345678"],
    ["a mobile number with the country's own code", "55974057737", "BR", "+5555974057737"],
    ["a fixed line that is one elsewhere with +", "390 66982", "DE", "+4939066982"],
    ["a national number that begins as the calling code", "04921 123456", "DE", "+494921123456"],
    ["a trunk zero in parentheses", "+41 (0) 79 460 64 00", "CH", "+41794606400"],
    ["a prefix in parentheses", "(+234) 803 123 4567", "CH", "+2348031234567"],
    ["spaces, dots, dashes and slashes", " (079) 460.64-00 ", "CH", "+41794606400"],
    ["a plus after a space", " +41 79 460 64 00", "NG", "+41794606400"],
    ["no-break spaces and a line break", "079\u00a0460\u202f64 00\r\n", "CH", "+41794606400"],
    ["a copied contact with invisible marks", "\u202a+41 79 460 64 00\u202c", "CH", "+41794606400"],
    ["Arabic-Indic digits", "٠٧٩٤٦٠٦٤٠٠", "CH", "+41794606400"],
    ["full-width digits and plus", "＋４１７９４６０６４００", "NG", "+41794606400"],
    ["a country that shares its calling code", "868 291 1234", "TT", "+18682911234"],
    ["a calling code without a country", "+800 1234 5678", "CH", "+80012345678"]
  ])("normalises %s", (_name, input, country, expected) => {
    expect(toE164(input, country)).toMatchObject({ number: expected })
    expect(reasonOf(input, country)).toBe("no failure")
  })

  it.each<[name: string, input: string, country: CountryCode, reason: string]>([
    ["nothing", "", "CH", "not-a-number"],
    ["white space", " \t\n", "CH", "not-a-number"],
    ["a plus alone", "+", "CH", "not-a-number"],
    ["words", "call me", "CH", "not-a-number"],
    ["letters in a number", "0803 CALL ME", "NG", "not-a-number"],
    ["a letter that looks like a digit", "+41 79 460 64 0O", "CH", "not-a-number"],
    ["a number inside a sentence", "call 079 460 64 00 now", "CH", "not-a-number"],
    ["a vanity number, not its digits", "1-800-FLOWERS", "US", "not-a-number"],
    ["two numbers", "0794606400, 0794606401", "CH", "not-a-number"],
    [
      "two numbers that look like one with an extension",
      "+41794606400;0794606401",
      "CH",
      "extension"
    ],
    ["an extension", "079 460 64 00 ext. 5", "CH", "extension"],
    ["an unassigned calling code", "+999 123 456", "CH", "unknown-calling-code"],
    ["an unassigned calling code, after 00", "00999 123 456", "CH", "unknown-calling-code"],
    ["a short code", "117", "CH", "too-short"],
    ["a missing digit", "+41 79 460 64 0", "CH", "too-short"],
    ["extra digits", "+1 650 253 00001", "CH", "too-long"],
    ["4 KB of digits", "1".repeat(4096), "CH", "too-long"],
    ["4 KB of digits after a plus", `+41${"7".repeat(4096)}`, "CH", "too-long"],
    [
      "a number that its country's plan allows but E.164 does not",
      "+234 7000 1234 567890",
      "NG",
      "too-long"
    ],
    ["a length that the country does not use", "+41 79 460 64 000", "CH", "not-possible"],
    ["a national number of another country", "079 460 64 00", "GB", "not-possible"],
    [
      "a national number of another country, with an invalid trunk prefix",
      "0794606400",
      "US",
      "not-possible"
    ],
    ["the prefix of another country", "0041 79 460 64 00", "US", "too-long"],
    [
      "a number that lost its plus, and is one of the country, too",
      "4915155500044",
      "DE",
      "either-way"
    ],
    ["the same with blanks, in another country", "62 812 345 678", "ID", "either-way"],
    ["a British number in Germany", "447911123456", "DE", "either-way"],
    ["a Nigerian number in Germany", "234 803 123 4567", "DE", "either-way"],
    ["a German number in Austria", "4915112345678", "AT", "either-way"],
    ["an American number in Brazil", "1 202 555 0123", "BR", "either-way"],
    ["a Kenyan number in China", "254712345678", "CN", "either-way"],
    ["a number that is none of the country", "4915112345678", "US", "lost-plus"],
    ["a country code before a trunk 0", "43 0664 1234567", "AT", "either-way"],
    ["the same where the library knows no lengths", "383 043277256", "XK", "either-way"],
    ["digits that would be another number when read again", "090821958663", "BR", "not-possible"]
  ])("refuses %s", (_name, input, country, reason) => {
    expect(reasonOf(input, country)).toBe(reason)
  })

  it.each<[input: string, country: CountryCode, ways: string]>([
    ["447911123456", "DE", "write + before it, or +49 or 0 before a number of the country"],
    ["447911123456", "SG", "write + before it, or check digits and country"],
    // It has no trunk prefix.
    ["1 202 555 0123", "BR", "write + before it, or +55 before a number of the country"]
  ])("says how to write %s in %s", (input, country, ways) => {
    expect(toE164(input, country)).toMatchObject({ problem: expect.stringContaining(ways) })
  })

  it.each(["XX", "ch", "CHE", "", "__proto__", "constructor"])("knows no country %j", (code) => {
    expect(isCountry(code)).toBe(false)
  })

  it("has no digits of the number in a problem", () => {
    for (const input of ["079 460 64 00 ext. 5", "079460640", "+99979460640", "079460640O"]) {
      expect(JSON.stringify(toE164(input, "US"))).not.toContain("460")
    }
  })

  it("returns E.164, and returns the same for its own result", () => {
    const country = fc.constantFrom(...getCountries())
    const digits = fc.string({
      unit: fc.constantFrom(..."0123456789"),
      minLength: 4,
      maxLength: 16
    })
    const written = fc
      .tuple(country, digits, fc.constantFrom("", "0", "00", "+"), country)
      .map(([from, national, prefix, to]): [string, CountryCode, CountryCode] => [
        prefix === "+" || prefix === "00"
          ? prefix + getCountryCallingCode(from) + national
          : prefix + national,
        from,
        to
      ])
    let successes = 0
    fc.assert(
      fc.property(written, ([input, from, to]) => {
        const result = toE164(input, from)
        if ("problem" in result) return
        successes++
        expect(result.number).toMatch(/^\+[1-9][0-9]{3,14}$/)
        expect(toE164(result.number, to)).toEqual({ number: result.number })
      }),
      { numRuns: runs(50_000) }
    )
    expect(successes).toBeGreaterThan(runs(50_000) / 20)
  })
})
