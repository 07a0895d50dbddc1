// Amounts, ages and times as people read them. Amounts stay exact: nothing is rounded without a sign of it.

/** All digits: `0.000421`. */
export function ether(wei: bigint): string {
  return scaled(wei, 18)
}

/** As many decimals as the longest of them needs, so that their points stand below each other. */
export function decimalsOf(amounts: readonly bigint[]): number {
  return Math.max(0, ...amounts.map((wei) => ether(wei).split('.')[1]?.length ?? 0))
}

export function padded(exact: string, decimals: number): string {
  const [whole = '', fraction = ''] = exact.split('.')
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}

export function gwei(wei: bigint): string {
  return scaled(wei, 9)
}

/** Undefined for anything but an amount with at most nine decimals. */
export function weiOfGwei(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(9, '0'))
}

function scaled(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = grouped(digits.slice(0, -decimals))
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The first digits, with an ellipsis for those that follow: nothing is rounded up. The exact amount stands beside it. */
export function shortly(exact: string): string {
  const [whole = '', fraction = ''] = exact.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = whole === '0' ? zeros + 4 : Math.min(4, Math.max(2, 7 - whole.replaceAll(',', '').length))
  return fraction.length <= kept ? exact : `${whole}.${fraction.slice(0, kept)}…`
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

/** In UTC, as the API and the log have it. */
export function exactTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

/** The start and the end, which people compare. */
export function shortened(text: string, lead = 8, tail = 6): string {
  return text.length <= lead + tail + 1 ? text : `${text.slice(0, lead)}…${text.slice(-tail)}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** The service's sentences have amounts in wei; people compare gwei. No digit is lost. */
export function inGwei(sentence: string): string {
  const begun = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  return begun.replace(/\b(\d{7,}) wei\b/g, (_, wei) => `${gwei(BigInt(wei))} gwei`)
}
