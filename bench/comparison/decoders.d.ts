export const decoders: Readonly<
  Record<string, (example: object) => Promise<(value: unknown) => unknown>>
>
