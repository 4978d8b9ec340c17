import type { Calls } from "../clients.ts"

export const clients: Readonly<
  Record<string, (url: string, timeoutMillis: number) => Promise<Calls>>
>
