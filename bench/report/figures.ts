/**
 * Figures as readers see them.
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

/** Units that a figure needs not name. */
export const isBare = (unit: Unit | undefined): boolean =>
  unit === undefined || unit === "×" || unit === "count"

/** A figure alone, which no heading gives a unit. */
export const withUnit = (value: number, unit: Unit | undefined): string =>
  isBare(unit) ? shown(value, unit) : `${shown(value, unit)} ${unit}`

export const limitOf = ({ is, limit }: Target, unit: Unit | undefined): string =>
  `${is === "at most" ? "≤" : "≥"} ${withUnit(limit, unit)}`

export const verdictOf = ({ isMet }: Target): string => (isMet ? "met" : "not met")
