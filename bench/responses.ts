/**
 * The responses for the decoding benchmarks.
 */
const bundle = (index: number) => ({
  bundle_id: `bundle-${index}`,
  name: `Data bundle ${index}`,
  price: `${index}.00`,
  data_amount: `${index} MB`,
  validity: "30 days"
})

/** A response of `listDataBundles`. */
export const bundles = (count: number): string =>
  JSON.stringify({ category: Array.from({ length: count }, (_, index) => bundle(index)) })

/** A response of `getSmsStatus`. */
export const oneStatus = JSON.stringify({
  success: true,
  status: 200,
  message: "The status was retrieved",
  data: [
    {
      recipient: "+15550100",
      message_id: "bench-1",
      status: "SANDBOX_SENT",
      date_created: "2026-01-01T00:00:00.000Z",
      sender_id: "BENCH"
    }
  ]
})
