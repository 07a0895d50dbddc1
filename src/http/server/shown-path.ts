// A request's target in the log: the path alone, since clients put keys into queries by mistake.

export function shownPath(url: string): string {
  const end = url.search(/[?#]/)
  return end < 0 ? url : `${url.slice(0, end)}?…`
}
