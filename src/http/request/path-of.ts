// The path of a request's target, as the router reads it: in every form, and with every encoding, of the same path.

/** The absolute form (RFC 9112 §3.2.2) may name a user and a password. */
function withoutOrigin(url: string): string {
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
}

/** The path without its query. */
export function pathOf(url: string): string {
  return withoutOrigin(url).split(/[?#]/, 1)[0] ?? ''
}

/** Whether the path is `base` or lies under it. */
export function isUnder(base: string, url: string): boolean {
  const segments = pathOf(url).split('/')
  return base.split('/').every((segment, index) => decoded(segments[index]) === segment)
}

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment && decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export const basePath = '/api/v1'

const slashesBefore = new RegExp(`^/{2,}(?=${basePath.slice(1)}(?:[/?]|$))`)
const slashBehind = new RegExp(`^(${basePath}/[^?]*[^?/])/(?=\\?|$)`)

/** A base URL with a final slash puts two before the path, and some clients and proxies add one behind it. */
export function withoutMoreSlashes(url: string): string {
  return url.replace(slashesBefore, '/').replace(slashBehind, '$1')
}

// A request's target in the log: the path alone. Clients put keys into queries, and into URLs, by mistake.
export function shownPath(url: string): string {
  const path = withoutOrigin(url)
  const end = path.search(/[?#]/)
  return end < 0 ? path : `${path.slice(0, end)}?…`
}
