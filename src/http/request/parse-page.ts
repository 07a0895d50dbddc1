// Paging: the page that a request names, and the pagination of the response.
import { Type } from 'typebox'
import type { PageRequest } from '../../store/list-port.ts'
import { pageMax, perPageDefault, perPageMax } from '../limits.ts'
import type { Pagination } from '../response/envelope.ts'
import { optionalInteger } from '../response/forms.ts'

export const pageProperties = {
  page: optionalInteger({ minimum: 1, maximum: pageMax, default: 1, description: `an integer from 1 to ${pageMax}` }),
  per_page: optionalInteger({
    minimum: 1,
    maximum: perPageMax,
    default: perPageDefault,
    description: `an integer from 1 to ${perPageMax}`,
  }),
}

/** The query of a list without other parameters. */
export const pageQuery = Type.Object(pageProperties, { additionalProperties: false })

export function pageOf(query: { page?: number; per_page?: number }): PageRequest {
  return { page: query.page ?? 1, perPage: query.per_page ?? perPageDefault }
}

export function paginationOf({ page, perPage }: PageRequest, total: number): Pagination {
  return { current_page: page, per_page: perPage, total_items: total }
}

/** The page of a list in memory. */
export function sliceOf<T>({ page, perPage }: PageRequest, all: readonly T[]): readonly T[] {
  return all.slice((page - 1) * perPage, page * perPage)
}
