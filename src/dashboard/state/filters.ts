// The filters of a list of transactions, as the URL and the API have them, and as the fields of a form show them;
// and the place in such a list where a view stands.

/** Members of the query, in the API and in the URL of the page. */
export const filterNames = [
  ...(['text', 'status', 'verdict', 'to', 'nonce_from', 'nonce_to', 'created_from', 'created_to'] as const),
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

/** Where in a list a view stands: its filters, and its page or the position before it, all of them in the URL. */
export interface ListPlace {
  /** The query of the request. */
  readonly query: string
  /** The filters alone, with a question mark, or nothing. */
  readonly filters: string
  /** The page, from 1. */
  readonly page: number
  readonly before: string | undefined
}

export function placeIn(search: string, perPage: number): ListPlace {
  const given = new URLSearchParams(search)
  const filters = filtersIn(search)
  const before = given.get('before') ?? undefined
  const page = /^[1-9]\d{0,5}$/.test(given.get('page') ?? '') ? Number(given.get('page')) : 1
  const request = new URLSearchParams([['per_page', String(perPage)], ...filters])
  if (before !== undefined) request.set('before', before)
  else request.set('page', String(page))
  return { query: queryOf(request), filters: queryOf(filters), page: before === undefined ? page : 1, before }
}

/** The query of the URL for the same list at another place. */
export function queryAt({ filters }: ListPlace, at: { readonly page: number } | { readonly before: string }): string {
  const parameters = new URLSearchParams(filters)
  if ('before' in at) parameters.set('before', at.before)
  else if (at.page > 1) parameters.set('page', String(at.page))
  return queryOf(parameters)
}
