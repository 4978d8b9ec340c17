/**
 * An answer whose end is heard of.
 *
 * The SDK's streams notice that a client is gone only when they next write to it. Until then a
 * session refuses that client's new stream as a second one, so the stream ends with the connection.
 */
export const watched = (response: Response, signal: AbortSignal, ended: () => void): Response => {
  if (response.body === null) {
    ended()
    return response
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  void response.body.pipeTo(writable, { signal }).then(ended, ended)
  return new Response(readable, { status: response.status, headers: response.headers })
}
