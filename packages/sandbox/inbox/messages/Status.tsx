/** The stored status of an SMS. */
const prefix = "SANDBOX_"

export const statuses = ["SANDBOX_QUEUED", "SANDBOX_SENT", "SANDBOX_DELIVERED"] as const

const tones: Readonly<Record<string, string>> = {
  SANDBOX_QUEUED: "waiting",
  SANDBOX_SENT: "moving",
  SANDBOX_DELIVERED: "done"
}

export const Status = ({ status }: { status: string }) => (
  <bdi class="status" data-tone={tones[status] ?? "other"}>
    {status.startsWith(prefix) ? (
      <>
        <span class="prefix">{prefix}</span>
        {status.slice(prefix.length)}
      </>
    ) : (
      status
    )}
  </bdi>
)
