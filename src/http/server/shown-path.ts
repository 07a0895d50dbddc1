// A request's target as the log shows it: the path alone. A query is where keys land that belong into a header.

export function shownPath(url: string): string {
  const end = url.search(/[?#]/)
  return end < 0 ? url : `${url.slice(0, end)}?…`
}
