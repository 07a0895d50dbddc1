// Turns the numbers of a JSON text that a double can't hold into texts: integers as decimal digits, all others as they are.

/** The longest number that is parsed digit by digit: 2^256 has 78 digits. */
const sourceCharsMax = 100

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** `json` is valid. A reviver of JSON.parse would take ten times as long, and a body may have a million values. */
export function withExactIntegers(json: string): string {
  const parts: string[] = []
  let at = 0
  while (at < json.length) {
    const quote = json.indexOf('"', at)
    parts.push(json.slice(at, quote < 0 ? json.length : quote).replace(number, exactly))
    if (quote < 0) break
    at = endOfText(json, quote)
    parts.push(json.slice(quote, at))
  }
  return parts.join('')
}

/** Behind the closing quote of the text that begins at `quote`. */
function endOfText(json: string, quote: number): number {
  let end = json.indexOf('"', quote + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(json: string, at: number): boolean {
  let slashes = 0
  while (json[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}

function exactly(source: string): string {
  return Math.abs(Number(source)) > Number.MAX_SAFE_INTEGER ? `"${digitsOf(source) ?? source}"` : source
}

/** `1.5e+21` becomes 1500000000000000000000. Undefined unless it is a natural number below 10^78, in a short notation. */
function digitsOf(source: string): string | undefined {
  if (source.length > sourceCharsMax) return undefined
  const [, whole, decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]\+?(\d{1,2}))?$/.exec(source) ?? []
  const fraction = decimals.replace(/0+$/, '')
  const zeros = Number(exponent) - fraction.length
  if (whole === undefined || zeros < 0) return undefined
  const digits = whole + fraction + '0'.repeat(zeros)
  return digits.length > 78 ? undefined : digits.replace(/^0+(?=\d)/, '')
}
