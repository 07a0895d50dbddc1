// The view that the URL names. Every view has a path of its own.
import { signal } from '@preact/signals'
import { prefix } from './prefix.ts'

export type Route =
  | { readonly view: 'relayers' | 'nodes' | 'figures' | 'gas' | 'dead-letters' | 'api-keys' | 'audit-log' | 'nothing' }
  | { readonly view: 'bulk-cancellations' | 'new-bulk-cancellation' | 'stop-everything' }
  | { readonly view: 'bulk-cancellation'; readonly bulk: string }
  | { readonly view: 'search'; readonly query: string }
  | { readonly view: 'relayer' | 'cancel-all'; readonly relayer: string }
  | { readonly view: 'transaction'; readonly relayer: string; readonly transaction: string }

export const route = signal<Route>(routeOf(location))
/** The query of the URL, for a view that keeps its filters there. */
export const search = signal(location.search)

function routeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  const [first = '', relayer, third, fourth, ...more] = pathname.slice(prefix.length).split('/').slice(1).map(decoded)
  if (first === '') return { view: 'relayers' }
  if (first === 'search') return { view: 'search', query: new URLSearchParams(search).get('query') ?? '' }
  if (first === 'bulk-cancellations' && third === undefined) return bulkRouteOf(relayer)
  if (first === 'stop-everything' && !relayer) return { view: 'stop-everything' }
  if (first === 'figures' && !relayer) return { view: 'figures' }
  if (
    (first === 'nodes' ||
      first === 'gas' ||
      first === 'dead-letters' ||
      first === 'api-keys' ||
      first === 'audit-log') &&
    !relayer
  ) {
    return { view: first }
  }
  if (first !== 'relayers' || !relayer || more.length > 0) return { view: 'nothing' }
  if (third === undefined) return { view: 'relayer', relayer }
  if (third === 'cancel-all' && fourth === undefined) return { view: 'cancel-all', relayer }
  if (third === 'transactions' && fourth) return { view: 'transaction', relayer, transaction: fourth }
  return { view: 'nothing' }
}

function bulkRouteOf(second: string | undefined): Route {
  if (!second) return { view: 'bulk-cancellations' }
  return second === 'new' ? { view: 'new-bulk-cancellation' } : { view: 'bulk-cancellation', bulk: second }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Shows another view, as a link does. `path` is one of the service. */
export function go(path: string): void {
  history.pushState(null, '', prefix + path)
  follow()
  scrollTo(0, 0)
  // A screen reader begins at the new heading.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('h1')?.focus())
}

/** Shows the same view with another query: it stays in place, and Back returns to the one before. */
export function goWithin(query: string): void {
  history.pushState(null, '', `${location.pathname}${query}`)
  follow()
}

function follow(): void {
  route.value = routeOf(location)
  search.value = location.search
}

addEventListener('popstate', follow)

/** Links of this page change the view without loading the page anew. */
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (
    link?.target !== '' ||
    link.hasAttribute('download') ||
    link.origin !== location.origin ||
    !link.pathname.startsWith(`${prefix}/`) ||
    link.pathname.startsWith(`${prefix}/docs`)
  )
    return
  event.preventDefault()
  go(link.pathname.slice(prefix.length) + link.search)
})
