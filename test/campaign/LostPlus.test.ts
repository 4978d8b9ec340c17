/** A spreadsheet removes the plus of a number. With --country, what is left can be two numbers. */
import { expect, it } from "@effect/vitest"
import { Phone } from "@messaging-topup/core/internal"
import { normalizeTo } from "messaging-topup/src/input/PhoneNumber.ts"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import examples from "libphonenumber-js/examples.mobile.json"
import { parsePhoneNumberFromString as parseMax } from "libphonenumber-js/max"
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString as parse,
  type PhoneNumber
} from "libphonenumber-js/min"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { alone } from "../harness/Command.ts"
import { isFull, runs } from "../harness/Runs.ts"
import { folder } from "../harness/TemporaryFolder.ts"

/** Another reader of the type than that of the command. */
const isMobile = (number: string): boolean => {
  const type = parseMax(number, { extract: false })?.getType()
  return type === "MOBILE" || type === "FIXED_LINE_OR_MOBILE"
}

/** The metadata of mobile phones give the numbers of Tristan da Cunha, of four digits, no type. */
const all = getCountries().filter((country) => examples[country] !== undefined && country !== "TA")
const countries = all.filter((_, index) => isFull || index % 10 === 0)

/** Numbers of a country as `min` takes them: its example, of which some digits are others. */
const numbersOf = (
  country: CountryCode,
  count: number,
  accept: (number: PhoneNumber) => boolean
): ReadonlyArray<PhoneNumber> => {
  const example = [...(examples[country] ?? "")]
  const digits = fc.array(fc.constantFrom(..."0123456789"), {
    minLength: example.length,
    maxLength: example.length
  })
  const found = new Map<string, PhoneNumber>()
  const some = fc.sample(fc.tuple(fc.nat({ max: 4 }), digits), count * 4)
  for (const [kept, others] of some) {
    if (found.size === count) break
    const national = [...example.slice(0, kept), ...others.slice(kept)].join("")
    const number = parse(`+${getCountryCallingCode(country)}${national}`, { extract: false })
    const isOfCountry = number?.country === country && number.nationalNumber === national
    if (isOfCountry && number.isValid() && accept(number)) found.set(number.number, number)
  }
  return [...found.values()]
}

const mobilesOf = (country: CountryCode, count: number) =>
  numbersOf(country, count, ({ number }) => isMobile(number))

/** Mobile numbers of 20 other countries. */
const foreignTo = (country: CountryCode): ReadonlyArray<PhoneNumber> => {
  const code = getCountryCallingCode(country)
  const others = all.filter((other) => getCountryCallingCode(other) !== code)
  return fc
    .sample(fc.shuffledSubarray(others, { minLength: 20, maxLength: 20 }), 1)
    .flat()
    .flatMap((other) => mobilesOf(other, 1))
}

const withoutPlus = (number: string): string => number.slice(1)

it("a number of every country is known by its digits without the country code, with a 0, and as people dial it", () => {
  const wrong = new Array<unknown>()
  // Numbers of Tokelau have four digits, as few as nobody sends to.
  for (const country of all.filter((each) => each !== "TK")) {
    const number = parse(examples[country], country)
    const national = number?.nationalNumber ?? ""
    const dialled = number?.formatNational().replace(/\D/g, "") ?? ""
    const known = Phone.nationalSpellings(number?.number ?? "")
    const others = [national, `0${national}`, dialled].filter((text) => !known.includes(text))
    if (others.length > 0) wrong.push(country)
  }
  // There, a mobile phone has other digits within its number.
  expect(wrong).toEqual(["AR"])
  expect(Phone.nationalSpellings("0151 61111111")).toEqual(["15161111111"])
  expect(Phone.nationalSpellings("151 61111111")).toContain("015161111111")
  // Lithuania dialled an 8 for long.
  expect(Phone.nationalSpellings("+370 612 34567")).toContain("861234567")
})

it("a mobile number of a country is taken as the library writes it, with and without trunk prefix", () => {
  let count = 0
  const wrong = new Array<unknown>()
  for (const country of countries) {
    const normalize = normalizeTo(country)
    for (const mobile of mobilesOf(country, runs(200))) {
      for (const text of [mobile.formatNational(), mobile.nationalNumber]) {
        count++
        const read = normalize(text)
        if ("problem" in read || read.number !== mobile.number) wrong.push({ country, text, read })
      }
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(runs(200) * countries.length)
})

it("an Argentine mobile number without the 9 of its international form is seldom refused", () => {
  const normalize = normalizeTo("AR")
  const mobiles = mobilesOf("AR", runs(2_000))
  const refused = mobiles.filter(
    ({ nationalNumber }) => "problem" in normalize(nationalNumber.replace(/^9/, ""))
  )
  expect(refused.length).toBeLessThan(mobiles.length / 20)
})

it("a number that only the loose metadata take is taken, unless it is a mobile number with +", () => {
  let count = 0
  for (const country of countries) {
    const normalize = normalizeTo(country)
    const isLoose = ({ number }: PhoneNumber): boolean =>
      parseMax(number, { extract: false })?.isValid() === false
    for (const loose of numbersOf(country, runs(100), isLoose)) {
      const { number } = loose
      count++
      expect(normalize(number)).toEqual({ number })
      const national = loose.formatNational()
      const digits = national.replace(/\D/g, "")
      // With the country's own code, any second reading counts.
      if (isMobile(`+${digits}`) || digits.startsWith(getCountryCallingCode(country))) continue
      const before = parse(national, { defaultCountry: country, extract: false })?.number
      const read = normalize(national)
      if (before === number) expect("problem" in read ? read : read.number).toBe(number)
    }
  }
  expect(count).toBeGreaterThan(runs(100) * 10)
})

it("a mobile number of another country that lost its plus is refused, if no mobile number of the country has these digits", () => {
  let refused = 0
  const wrong = new Array<unknown>()
  for (const country of countries) {
    for (const { number } of foreignTo(country)) {
      const read = normalizeTo(country)(withoutPlus(number))
      if ("problem" in read) refused++
      else if (!isMobile(read.number)) wrong.push({ country, number, read })
    }
  }
  expect(wrong).toEqual([])
  expect(refused).toBeGreaterThan(countries.length * 15)
})

it.live("with --country, a stop list excludes every number that a text without plus can be", () =>
  Effect.gen(function* () {
    const home = yield* folder
    const stop = join(home, "stop.txt")
    const run = (
      country: CountryCode,
      rows: ReadonlyArray<string>,
      stops: ReadonlyArray<string>
    ) => {
      writeFileSync(stop, stops.map((number) => `${number}\n`).join(""))
      return Effect.map(
        alone(
          ["run", "-", "--dry-run", "--campaign", "c", "--country", country, "--exclude", stop],
          { stdin: ["recipient,message\n", ...rows.map((number) => `${number},a\n`)] }
        ),
        ({ events }) => events.find(({ event }) => event === "Totals")
      )
    }
    for (const country of countries) {
      // A short one is refused as a part of a number.
      const own = mobilesOf(country, 5).filter(({ nationalNumber }) => nationalNumber.length > 4)
      const whole = [...foreignTo(country), ...own].map(({ number }) => number)
      const code = getCountryCallingCode(country)
      const bare = [
        ...whole.map(withoutPlus),
        ...own.map(({ nationalNumber }) => nationalNumber),
        // What is left of `+43 (0)664 …`.
        ...own.map((number) => code + number.formatNational().replace(/\D/g, ""))
      ]
      // Whoever opted out gets nothing, in whichever form the list or the stop list has the number.
      const rows = { country, rows: 0 }
      expect({ country, ...(yield* run(country, whole, bare)) }).toMatchObject({
        ...rows,
        excluded: whole.length
      })
      expect({ country, ...(yield* run(country, bare, whole)) }).toMatchObject(rows)
    }
  })
)
