interface Decoders {
  readonly long: (value: unknown) => unknown
  readonly small: (value: unknown) => unknown
}

export const decoders: Readonly<Record<string, () => Promise<Decoders>>>
