/**
 * `resume`: sends what is left.
 */
import * as Effect from "effect/Effect"
import * as Sending from "../Sending.ts"
import { type SendFlags, withServices } from "../Services.ts"

export interface ResumeInput extends SendFlags {
  readonly campaign: string
}

export const resume = (input: ResumeInput) =>
  withServices({ ...input, mustExist: true }, ({ id, options, resumeLine }) =>
    Effect.suspend(() => Sending.send({ campaign: id, options, invalid: 0, resumeLine }))
  )
