/** Decompresses responses. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib"
import type { ResponseHeaders } from "../call/Transport.ts"
import type { Decompress } from "./Attempt.ts"

/** Some servers send "deflate" with a zlib header (low four bits of the first byte are 8), some without. */
const inflate: Decompress = (bytes, limit) =>
  ((bytes[0] ?? 0) & 0x0f) === 0x08 ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit)

const decompressors: ReadonlyMap<string, Decompress> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", brotliDecompressSync]
])

/** The value of the `Accept-Encoding` header. */
export const acceptEncoding = "gzip, deflate, br"

/** Returns `undefined` if the body is not compressed, or in a way that is not supported. */
export const decompressOf = (headers: ResponseHeaders): Decompress | undefined => {
  const coding = headers.get("content-encoding")
  return coding === undefined ? undefined : decompressors.get(coding.trim().toLowerCase())
}
