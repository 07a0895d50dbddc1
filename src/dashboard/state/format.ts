// Counts, ages and times as people read them.

/** The wei of an amount in gwei; undefined for anything but an amount with at most nine decimals. */
export function weiOfGwei(text: string): bigint | undefined {
  return weiOf(text, 9)
}

export function weiOfEther(text: string): bigint | undefined {
  return weiOf(text, 18)
}

function weiOf(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** The amount with every digit, as `weiOfEther` reads it. */
export function etherText(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}

export function grouped(digits: string | number | bigint): string {
  return String(digits).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `42 s`, `7 min`, `3 h 20 min`, `12 d`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${grouped(Math.floor(hours / 24))} d`
}

/** The time in UTC, as the API and the log have it. */
export function exactTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

const localForm = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })

/** The time in the browser's time zone: `2026-01-02 03:04:05`. */
export function localTime(iso: string): string {
  return localForm.format(new Date(iso))
}

/** The time of day in the browser's time zone: `14:05`. */
export function timeOfDay(ms: number): string {
  return localForm.format(ms).slice(11, 16)
}

/** The start and the end, which people compare. */
export function shortened(text: string, lead = 8, tail = 6): string {
  const isName = !/^(0x)?[\da-f-]{12}/i.test(text)
  return isName || text.length <= lead + tail + 1 ? text : `${text.slice(0, lead)}…${text.slice(-tail)}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** The service's sentences go on after another's words. */
export function begun(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
