/**
 * The key that signs questions and digests.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { randomBytes } from "node:crypto"
import type { Key } from "./guards/Digest.ts"
import * as Files from "./settings/Files.ts"
import { badOption, bothNames, type SettingsError } from "./settings/SettingsError.ts"

const bytes = 32

/** A new one for each start, unless replicas share one in a file. */
export const read = Effect.fnUntraced(function* (
  file: Option.Option<string>
): Effect.fn.Return<Key, SettingsError> {
  if (Option.isNone(file)) return randomBytes(bytes)
  const key = yield* Files.readBytes(bothNames("approval-key-file"), file.value)
  return key.length >= bytes
    ? key
    : yield* badOption(
        "approval-key-file",
        `the file holds fewer than ${bytes} bytes; make one with: openssl rand -out approval.key 32`
      )
})
