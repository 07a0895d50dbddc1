// The path of a request's target, as the router reads it: in every form, and with every encoding, of the same path.

/** The absolute form (RFC 9112 §3.2.2) may name a user and a password. */
export function withoutOrigin(url: string): string {
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
}

/** Without its query. */
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
