/**
 * How many tokens a model reads, in the encoding o200k_base.
 */
export const tokensOf = async (text) => {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
  return countTokens(text)
}
