/**
 * Reads compressed responses.
 */
import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

/** Servers disagree on whether "deflate" has the header of zlib, whose first byte ends in 8. */
const inflate = ([first = 0]: Uint8Array): Transform =>
  (first & 0x0f) === 0x08 ? createInflate() : createInflateRaw()

const decoders: ReadonlyMap<string, (start: Uint8Array) => Transform> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", inflate],
  ["br", () => createBrotliDecompress()]
])

/** What can be decoded, for the header of that name. */
export const acceptEncoding = "gzip, deflate, br"

interface Sink {
  readonly data: (chunk: Uint8Array) => void
  /** The coding ended, which can be before its body does. */
  readonly end: () => void
  readonly fail: (error: Error) => void
  /** No more of the body until `drained`: a coding can take in much and give out nothing. */
  readonly full: () => void
  readonly drained: () => void
}

export interface Decoding {
  readonly data: (chunk: Uint8Array) => void
  readonly end: () => void
  /** Stops and continues what is given out; what is taken in then fills up. */
  readonly pause: () => void
  readonly resume: () => void
  /** Nothing reaches the sink any more. */
  readonly stop: () => void
}

/** `undefined` for a coding that needs no decoding, or that nothing here decodes. */
export const decoding = (contentEncoding: string | undefined, sink: Sink): Decoding | undefined => {
  const make = decoders.get(contentEncoding?.trim().toLowerCase() ?? "")
  if (make === undefined) return undefined
  let decoder: Transform | undefined
  const start = (chunk: Uint8Array): Transform =>
    make(chunk)
      .on("data", sink.data)
      .on("end", sink.end)
      .on("error", sink.fail)
      .on("drain", sink.drained)
  return {
    data: (chunk) => {
      decoder ??= start(chunk)
      if (!decoder.write(chunk)) sink.full()
    },
    // A body without a byte has no coding to end.
    end: () => (decoder === undefined ? sink.end() : void decoder.end()),
    pause: () => void decoder?.pause(),
    resume: () => void decoder?.resume(),
    stop: () => void decoder?.destroy()
  }
}
