/** Icons of 20 by 20 pixels. They are decorative: a label always has the same meaning. */
const paths = {
  bubble:
    "M5.5 3h9A2.5 2.5 0 0 1 17 5.5v6a2.5 2.5 0 0 1-2.5 2.5H9l-4 3v-3A2.5 2.5 0 0 1 3 11.5v-6A2.5 2.5 0 0 1 5.5 3Z",
  arrows: "M6 16V4m0 0L3 7m3-3 3 3M14 4v12m0 0 3-3m-3 3-3-3",
  terminal: "m4 6 4 4-4 4m6 1h6",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.5-1.5L17 17",
  close: "m5 5 10 10M15 5 5 15",
  back: "m12 4-6 6 6 6",
  next: "m8 4 6 6-6 6",
  copy: "M7 7V4.5A1.5 1.5 0 0 1 8.5 3h7A1.5 1.5 0 0 1 17 4.5v7a1.5 1.5 0 0 1-1.5 1.5H13M4.5 7h7A1.5 1.5 0 0 1 13 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 15.5v-7A1.5 1.5 0 0 1 4.5 7Z",
  check: "m4 10.5 4 4 8-9",
  bolt: "M11 2.5 4.5 11.5H10l-1 6 6.5-9H10l1-6Z",
  trash: "M3.5 5.5h13M8 5.5v-2h4v2m-6.5 0 .7 11h7.6l.7-11M8.5 8.5v5m3-5v5",
  sun: "M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 1.8v1.7m0 13v1.7M1.8 10h1.7m13 0h1.7M4.2 4.2l1.2 1.2m9.2 9.2 1.2 1.2m0-11.6-1.2 1.2m-9.2 9.2-1.2 1.2",
  moon: "M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3Z",
  system: "M3 4.5h14v9H3v-9Zm4.5 12h5m-2.5-3v3",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-11v4l2.7 1.8"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

interface ButtonProps {
  readonly icon: IconName
  /** What it does, for screen readers and under the pointer. */
  readonly label: string
  readonly disabled?: boolean
  readonly onClick: () => unknown
}

/** A button that shows only an icon. */
export const IconButton = ({ disabled = false, icon, label, onClick }: ButtonProps) => (
  <button
    type="button"
    class="quiet icon-button"
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)
