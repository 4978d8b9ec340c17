/**
 * The errors of the command, their exit codes and their texts.
 */
import type { ConfigurationError, InvalidInput } from "@messaging-topup/core"
import type { JournalError, LoadSuperseded } from "@messaging-topup/journal"
import type { Port, UsageError } from "@messaging-topup/sandbox/command-line"
import * as Data from "effect/Data"
import type { CampaignLoading } from "../rows/CampaignLoading.ts"
import type { CampaignNotFound } from "../rows/CampaignNotFound.ts"
import type { InputError } from "../input/InputError.ts"
import { exitCodes } from "./ExitCodes.ts"
import { flagOfField } from "./Options.ts"

/** The command cannot run, for a reason other than wrong usage. */
export class CannotRun extends Data.TaggedError("CannotRun")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

export type Failure =
  | CampaignLoading
  | CampaignNotFound
  | CannotRun
  | ConfigurationError
  | InputError
  | InvalidInput
  | JournalError
  | LoadSuperseded
  | Port.ListenFailed
  | UsageError

export const codeOfFailure = (failure: Failure): number => {
  switch (failure._tag) {
    case "ConfigurationError":
    case "InvalidInput":
    case "UsageError":
      return exitCodes.usage
    case "InputError":
      return failure.isUsage ? exitCodes.usage : exitCodes.failed
    case "JournalUnavailable":
      return failure.problem === "driver-missing" ? exitCodes.usage : exitCodes.failed
    case "CampaignLoading":
    case "CampaignNotFound":
    case "CannotRun":
    case "JournalLocked":
    case "ListenFailed":
    case "LoadSuperseded":
      return exitCodes.failed
  }
}

/** Returns the text of a failure, in one line. */
export const textOf = (failure: Failure): string =>
  failure._tag === "InvalidInput"
    ? `${flagOfField(failure.field)}: ${failure.problem}`
    : failure.message
