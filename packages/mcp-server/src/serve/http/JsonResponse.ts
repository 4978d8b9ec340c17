/**
 * The response to a call of a modern client. To make a real `Response` of JSON, and to read it again, takes
 * a tenth of a call, so the SDK in our bundle makes this one: see `SdkChanges.ts`. It names no class of
 * `fetch` before the first call: Node would load all of it at the start.
 */
export class JsonResponse {
  readonly status = 200
  readonly headers = new Headers({ "content-type": "application/json" })
  readonly json: string

  constructor(message: object) {
    this.json = JSON.stringify(message)
  }
}
