// Which part of a scrape a path is for: all of it, one metric, or the names alone.

export type MetricsAnswer = { readonly kind: 'text' | 'json'; readonly body: string } | undefined

/**
 * `text`: Prometheus's format. Undefined for a path that is not there. Beside `/metrics` there are the paths of OpenZeppelin
 * Relayer, whose `/metrics` is a list of names: those who ask for JSON first, as its clients do, get that.
 */
export function metricsByPath(path: string, accept: string | undefined, text: string): MetricsAnswer {
  const wantsNames = /^\s*application\/json\b/i.test(accept ?? '')
  if (path === '/metrics' && wantsNames) return { kind: 'json', body: JSON.stringify([...familiesOf(text).keys()]) }
  if (path === '/metrics' || path === '/debug/metrics/scrape') return { kind: 'text', body: text }
  const family = path.startsWith('/metrics/') ? familiesOf(text).get(path.slice('/metrics/'.length)) : undefined
  return family === undefined ? undefined : { kind: 'text', body: family }
}

/** Each metric's lines, under its name. */
function familiesOf(text: string): ReadonlyMap<string, string> {
  const families = text.split(/^(?=# HELP )/m).filter((family) => family.startsWith('# HELP '))
  return new Map(families.map((family) => [family.split(' ', 3)[2] ?? '', family]))
}
