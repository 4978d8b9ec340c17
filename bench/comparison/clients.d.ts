interface Calls {
  readonly getSmsStatus: () => Promise<unknown>
  readonly sendSms: () => Promise<unknown>
}

export const clients: Readonly<
  Record<string, (url: string, timeoutMillis: number) => Promise<Calls>>
>
