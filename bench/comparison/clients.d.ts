import type { Calls } from "../../scripts/clients.ts"

export const clients: Readonly<
  Record<string, (url: string, timeoutMillis: number) => Promise<Calls>>
>
