/**
 * Decompresses responses.
 */
import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

/**
 * Some servers send "deflate" with a zlib header (low four bits of the first byte are 8), some
 * without.
 */
const inflate = ([first = 0]: Uint8Array): Transform =>
  (first & 0x0f) === 0x08 ? createInflate() : createInflateRaw()

const decoders: ReadonlyMap<string, (start: Uint8Array) => Transform> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", inflate],
  ["br", () => createBrotliDecompress()]
])

/** The value of the `Accept-Encoding` header. */
export const acceptEncoding = "gzip, deflate, br"

interface Sink {
  readonly data: (chunk: Uint8Array) => void
  /** The compressed data ended. The body may continue after it. */
  readonly end: () => void
  readonly fail: (error: Error) => void
  /** Stop passing data until `drained`: a decoder can take much input before it gives output. */
  readonly full: () => void
  readonly drained: () => void
}

export interface Decoding {
  readonly data: (chunk: Uint8Array) => void
  readonly end: () => void
  /** Pauses the output; the input buffer then fills up. */
  readonly pause: () => void
  readonly resume: () => void
  /** Ends the decoder. The sink gets no more calls. */
  readonly stop: () => void
}

/** Returns `undefined` if the compression is not supported. */
export const decoding = (contentEncoding: string, sink: Sink): Decoding | undefined => {
  const make = decoders.get(contentEncoding.trim().toLowerCase())
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
    // An empty body never started a decoder.
    end: () => (decoder === undefined ? sink.end() : void decoder.end()),
    pause: () => void decoder?.pause(),
    resume: () => void decoder?.resume(),
    stop: () => void decoder?.destroy()
  }
}
