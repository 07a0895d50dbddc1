// Keeps the secrets in an endpoint's URL and headers out of every message, since nodes and gateways often repeat them.

const messageMaxChars = 400
/** Text is cut before it is searched: a node may send a megabyte. */
const searchedMaxChars = 4_096
/** Shorter path segments are words like `v3`, not keys, and so are shorter values of headers. */
const secretMinChars = 8

/** In a result, hex digits that equal a shorter one are by chance. */
const secretInResultMinChars = 16

/**
 * The longest first. `headers`: their values. In a value with a scheme, such as `Bearer …`, each part is as secret as the whole.
 */
function secretsOf(url: URL, headers: readonly string[], minChars: number): readonly string[] {
  const inUrl = [url.host, url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()]
  return [...inUrl, ...headers, ...headers.flatMap((value) => value.split(/[\s,;]+/))]
    .filter((text) => text.length >= minChars)
    .sort((one, other) => other.length - one.length)
}

/** In any case: gateways write hosts and keys in their own. Matches nothing without a secret. */
function patternOf(secrets: readonly string[]): RegExp {
  const escaped = secrets.map((secret) => secret.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(escaped.length === 0 ? '(?!)' : escaped.join('|'), 'gi')
}

/** Takes whole secrets out of a result, which stays JSON. */
export function resultRedactor(url: URL, headers: readonly string[] = []): (result: Buffer) => Buffer {
  const pattern = patternOf(secretsOf(url, headers, secretInResultMinChars))
  return (result) => {
    const text = result.toString('latin1')
    const kept = text.replaceAll(pattern, '***')
    return kept.length === text.length ? result : Buffer.from(kept, 'latin1')
  }
}

export function redactor(url: URL, headers: readonly string[] = []): (text: string) => string {
  const secrets = secretsOf(url, headers, secretMinChars)
  const pattern = patternOf(secrets)
  // The cut may divide a secret. All but one of its characters may stand before the cut.
  const dividedMaxChars = Math.max(0, (secrets[0]?.length ?? 0) - 1)
  return (text) => {
    const searched = text.slice(0, searchedMaxChars)
    const withoutUrls = searched.replaceAll(/\b(?:https?|wss?):\/\/\S+/gi, '…')
    const kept = withoutUrls.replaceAll(pattern, '…')
    const whole = searched.length < text.length ? kept.slice(0, Math.max(0, kept.length - dividedMaxChars)) : kept
    return whole.slice(0, messageMaxChars)
  }
}

/** Redacts every text of a JSON value, up to a depth. Hex is data, cannot hide a URL, and keeps its length. */
export function redactAll(json: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof json === 'string') return /^0x[0-9a-fA-F]*$/.test(json) ? json : redact(json)
  if (typeof json !== 'object' || json === null) return json
  if (depth === redactedDepthMax) return '…'
  if (Array.isArray(json)) return json.map((each) => redactAll(each, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(json).map(([name, member]) => [redact(name), redactAll(member, redact, depth + 1)]),
  )
}

const redactedDepthMax = 8
