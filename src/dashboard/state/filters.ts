// The filters of a list of transactions, as the URL and the API have them, and as the fields of a form show them.

/** Members of the query, in the API and in the URL of the page. */
export const filterNames = [
  ...(['text', 'status', 'to', 'nonce_from', 'nonce_to', 'created_from', 'created_to'] as const),
  ...(['value_from', 'value_to', 'external_id', 'tag'] as const),
]

export type FilterName = (typeof filterNames)[number]

/** The filters of a URL: only those that the list takes, without empty ones, as a URL may come from anywhere. */
export function filtersIn(search: string): URLSearchParams {
  const given = new URLSearchParams(search)
  const filters = new URLSearchParams()
  for (const name of filterNames) {
    const value = given.get(name)?.trim() ?? ''
    if (value !== '') filters.set(name, value)
  }
  return filters
}

/** The query with a question mark, or nothing. */
export function queryOf(parameters: URLSearchParams): string {
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** A parameter as its field shows it: times are local, values in ether. Any other text stays the same. */
export function fieldOf(name: FilterName, parameter: string | null): string {
  if (parameter === null) return ''
  if (name === 'created_from' || name === 'created_to') return localTime(parameter)
  return name === 'value_from' || name === 'value_to' ? inEther(parameter) : parameter
}

/** A field as the API takes it. */
export function parameterOf(name: FilterName, field: string): string {
  if (name === 'created_from' || name === 'created_to') {
    const date = new Date(field)
    return Number.isNaN(date.getTime()) ? field : date.toISOString()
  }
  return name === 'value_from' || name === 'value_to' ? inWei(field) : field
}

/** To the second. */
function localTime(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The amount with all its digits. */
function inEther(wei: string): string {
  if (!/^\d+$/.test(wei)) return wei
  const digits = BigInt(wei).toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}

function inWei(ether: string): string {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(ether) ?? []
  return whole === undefined ? ether : BigInt(whole + fraction.padEnd(18, '0')).toString()
}
