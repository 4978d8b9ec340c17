/** One phone number as people and programs write it, for every part that asks whether two are the same. */
import * as Struct from "effect/Struct"

/** The number of the table. */
export const theNumber = "+442071234567"

/**
 * - `"exact"`: the number, also where it allows something: this form is compared and sent.
 * - `"same"`: the number everywhere, but no form that allows. An assistant's is sent as `theNumber`.
 * - `"written"`: likewise, and sent as it is written.
 * - `"wide"`: the number somewhere: enough to refuse.
 * - `"unclear"`: two numbers in one. Refused.
 * - `"other"`: another number.
 */
type Likeness = "exact" | "same" | "written" | "wide" | "unclear" | "other"

const likenesses: Readonly<Record<Likeness, ReadonlyArray<string>>> = {
  exact: [
    theNumber,
    "+44 20 7123 4567",
    "(+44) 20-7123.4567",
    "+44\u00a020\u20117123\u20134567",
    "00442071234567",
    "00 44 (20) 7123 4567",
    "+44-207-123-4567",
    "+44\u2011207\u2013123\u20144567",
    "+44\u00a0207.123.4567"
  ],
  same: [
    "+442071234567,",
    ";;+44 207 123 4567",
    "+442071234567\u200b",
    "+44\u300020\u20037123 4567",
    "\u202a+442071234567\u202c",
    "+44\u00ad20\u200b71234567",
    "\uff0b442071234567",
    "+\uff14\uff14\uff12\uff10\uff17\uff11\uff12\uff13\uff14\uff15\uff16\uff17"
  ],
  written: [
    "442071234567",
    "44 20 7123 4567",
    "+44/2071234567",
    "+44-207-123-4567/",
    "tel:+442071234567",
    "TEL:+44-207-123-4567",
    "0044\u2011207\u2212123\u20134567",
    "+\u0664\u0664\u0662\u0660\u0667\u0661\u0662\u0663\u0664\u0665\u0666\u0667"
  ],
  wide: ["011442071234567", "011 44 20 7123 4567", "(011) 44-20-7123-4567"],
  unclear: [
    "+44 (0)20 7123 4567",
    "0044(0)2071234567",
    "44 ( 0 ) 20 7123 4567",
    "+44 20 7123 4567 ext. 5",
    "+442071234567 x5",
    "+442071234567#5",
    "+442071234567;ext=5"
  ],
  other: ["+442071234568", "02071234567", "2071234567", "+4402071234567", "ACME"]
}

export interface Spelling {
  readonly text: string
  readonly likeness: Likeness
}

export const spellings: ReadonlyArray<Spelling> = Struct.keys(likenesses).flatMap((likeness) =>
  likenesses[likeness].map((text) => ({ likeness, text }))
)

/** Whether the spelling is enough to refuse what the number is refused. */
export const isLike = ({ likeness }: Spelling): boolean =>
  likeness !== "unclear" && likeness !== "other"
