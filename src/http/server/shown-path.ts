// A request's target in the log: the path alone. Clients put keys into queries, and into URLs, by mistake.

export function shownPath(url: string): string {
  // The absolute form (RFC 9112 §3.2.2) may name a user and a password.
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  const end = path.search(/[?#]/)
  return end < 0 ? path : `${path.slice(0, end)}?…`
}
