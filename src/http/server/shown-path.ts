// A request's target in the log: the path alone. Clients put keys into queries, and into URLs, by mistake.
import { withoutOrigin } from '../request/path-of.ts'

export function shownPath(url: string): string {
  const path = withoutOrigin(url)
  const end = path.search(/[?#]/)
  return end < 0 ? path : `${path.slice(0, end)}?…`
}
