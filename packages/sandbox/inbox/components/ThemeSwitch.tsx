/** Switches the theme: light, dark, or the theme of the system. */
import { effect, signal } from "@preact/signals"
import { Icon, type IconName } from "./Icon.tsx"

const key = "messaging-topup-sandbox-theme"

const themes = ["system", "light", "dark"] as const

type Theme = (typeof themes)[number]

const theme = signal<Theme>(themes.find((name) => name === localStorage.getItem(key)) ?? "system")

export const keepTheme = (): void => {
  effect(() => {
    localStorage.setItem(key, theme.value)
    document.documentElement.dataset["theme"] = theme.value
  })
}

const after: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" }

const icons: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" }

const labels: Record<Theme, string> = { system: "system", light: "light", dark: "dark" }

export const switchTheme = (): void => {
  theme.value = after[theme.value]
}

export const ThemeSwitch = () => {
  const label = `Theme: ${labels[theme.value]}. Switch to ${labels[after[theme.value]]}`
  return (
    <button
      type="button"
      class="quiet icon-button"
      aria-label={label}
      title={label}
      onClick={switchTheme}
    >
      <Icon name={icons[theme.value]} />
    </button>
  )
}
