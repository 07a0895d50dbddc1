// The part of a scrape that a path returns: all of it, one metric, or the names alone.

export type MetricsAnswer = { readonly kind: 'text' | 'json'; readonly body: string } | undefined

/**
 * `text` is in Prometheus's format. Undefined for an unknown path. The paths of OpenZeppelin Relayer exist beside
 * `/metrics`. Its own `/metrics` is a list of names: a client that prefers JSON, as its clients do, receives that list.
 */
export function metricsByPath(path: string, accept: string | undefined, text: string): MetricsAnswer {
  const wantsNames = /^\s*application\/json\b/i.test(accept ?? '')
  if (path === '/metrics' && wantsNames) return { kind: 'json', body: JSON.stringify([...familiesOf(text).keys()]) }
  if (path === '/metrics' || path === '/debug/metrics/scrape') return { kind: 'text', body: text }
  const family = path.startsWith('/metrics/') ? familiesOf(text).get(path.slice('/metrics/'.length)) : undefined
  return family === undefined ? undefined : { kind: 'text', body: family }
}

/** The lines of each metric, by its name. */
function familiesOf(text: string): ReadonlyMap<string, string> {
  const families = text.split(/^(?=# HELP )/m).filter((family) => family.startsWith('# HELP '))
  return new Map(families.map((family) => [family.split(' ', 3)[2] ?? '', family]))
}
