// Where in a list a view stands: its filters, and its page or the position before it, all of them in the URL.
import { filtersIn, queryOf } from './filters.ts'

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
