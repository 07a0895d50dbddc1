// Durations as people write them: a whole number of seconds, minutes, hours or days, such as "30s", "10m", "24h" or "2d". Those of holds end
// with a day, in hours.

const unitsMs = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
])

const minutesAndHours = '([1-9][0-9]{0,2}|1[0-3][0-9]{2}|14[0-3][0-9]|1440)m|([1-9]|1[0-9]|2[0-4])h'
const manySeconds = '[1-9][0-9]{2,3}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400'

/** A duration from 1 s to 24 h. */
export const durationPattern = `^((${manySeconds}|[1-9][0-9]?)s|${minutesAndHours})$`
/** A duration from 30 s to 24 h. */
export const durationFrom30sPattern = `^((${manySeconds}|[3-9][0-9])s|${minutesAndHours})$`

/** A duration from 1 s to 24 h, or of whole days up to 30. */
export const durationInDaysPattern = `${durationPattern}|^([1-9]|[12][0-9]|30)d$`

const form = new RegExp(durationPattern)
const formInDays = new RegExp(durationInDaysPattern)

/** The duration in milliseconds; undefined for a text of another form. */
export function parseDuration(text: string, { inDays = false } = {}): number | undefined {
  return (inDays ? formInDays : form).test(text) ? durationMs(text) : undefined
}

/** The duration in milliseconds. `text` is a whole number and its unit. */
export function durationMs(text: string): number {
  // The caller has checked the form.
  return Number(text.slice(0, -1)) * (unitsMs.get(text.slice(-1)) ?? 0)
}

/** The duration in the largest unit that divides it, up to `largest`. Above a day, days. `ms`: whole seconds. */
export function shownDuration(ms: number, largest: 'h' | 'd' = ms > 86_400_000 ? 'd' : 'h'): string {
  const units = [...unitsMs].slice(largest === 'd' ? 0 : 1)
  const [unit, unitMs] = units.find(([, each]) => ms % each === 0) ?? ['s', 1_000]
  return `${ms / unitMs}${unit}`
}
