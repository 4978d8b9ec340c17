export interface Other {
  /** The path of its POST. */
  readonly path: string
  /** The status with which its service accepts an SMS. */
  readonly status: number
  /** The content type of its service's responses, if they are not JSON. */
  readonly type?: string
  readonly accepted: object | string
  readonly failed: (status: number) => object | string
  /** Returns how it sends one SMS. It rejects if it was not accepted. */
  readonly connect: (url: string, timeoutMillis: number) => Promise<() => Promise<unknown>>
}

export const clients: Readonly<Record<string, Other>>
