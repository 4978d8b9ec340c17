/**
 * Formats figures for readers.
 */
import type { Target, Unit } from "./results.ts"

const digitsOf = (value: number, unit: Unit | undefined): number => {
  if (unit === "×") return 2
  if (Number.isInteger(value) || Math.abs(value) >= 100) return 0
  return Math.abs(value) >= 10 ? 1 : 2
}

export const shown = (value: number, unit: Unit | undefined): string => {
  const digits = digitsOf(value, unit)
  const text = value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
  return unit === "×" ? `${text}×` : text
}

/** Whether a figure is shown without its unit. */
export const isBare = (unit: Unit | undefined): boolean =>
  unit === undefined || unit === "×" || unit === "count"

/** For a figure outside a table, where no heading has the unit. */
export const withUnit = (value: number, unit: Unit | undefined): string =>
  isBare(unit) ? shown(value, unit) : `${shown(value, unit)} ${unit}`

export const limitOf = ({ is, limit }: Target, unit: Unit | undefined): string =>
  `${is === "at most" ? "≤" : "≥"} ${withUnit(limit, unit)}`

export const verdictOf = ({ isMet }: Target): string => (isMet ? "met" : "not met")
