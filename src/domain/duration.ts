// Durations as people write them, up to a day: a whole number of seconds, minutes or hours, such as "30s", "10m" or "24h".

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const

const minutesAndHours = '([1-9][0-9]{0,2}|1[0-3][0-9]{2}|14[0-3][0-9]|1440)m|([1-9]|1[0-9]|2[0-4])h'
const manySeconds = '[1-9][0-9]{2,3}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400'

/** From 1 s to 24 h. */
export const durationPattern = `^((${manySeconds}|[1-9][0-9]?)s|${minutesAndHours})$`
/** From 30 s to 24 h. */
export const durationFrom30sPattern = `^((${manySeconds}|[3-9][0-9])s|${minutesAndHours})$`

const form = new RegExp(durationPattern)

/** In milliseconds; undefined for a text of another form. */
export function parseDuration(text: string): number | undefined {
  if (!form.test(text)) return undefined
  const count = Number(text.slice(0, -1))
  if (text.endsWith('h')) return count * unitsMs.h
  return count * (text.endsWith('m') ? unitsMs.m : unitsMs.s)
}

/** In the largest unit that divides it. `ms`: whole seconds. */
export function shownDuration(ms: number): string {
  const unit = ms % unitsMs.h === 0 ? 'h' : ms % unitsMs.m === 0 ? 'm' : 's'
  return `${ms / unitsMs[unit]}${unit}`
}
