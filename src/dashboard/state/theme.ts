// The color scheme: the system's, or the one that was chosen in this browser. /dashboard/theme.js sets it before the first paint.
import { effect, signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(system.matches)
system.addEventListener('change', () => {
  isSystemDark.value = system.matches
})

export const theme = signal<Theme>(themeOf(document.documentElement.dataset['theme']))

export function themeOf(text: string | undefined): Theme {
  return themes.find((each) => each === text) ?? 'system'
}

export function isDark(): boolean {
  return theme.value === 'system' ? isSystemDark.value : theme.value === 'dark'
}

export function choose(chosen: Theme): void {
  theme.value = chosen
  try {
    if (chosen === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, chosen)
  } catch {
    // A browser that stores nothing has the choice until the page is left.
  }
}

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
})
