export const tokensOf: (text: string) => Promise<number>
