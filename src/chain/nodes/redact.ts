// Keeps what an endpoint's URL hides out of every message: nodes and gateways like to repeat them.

const messageMaxChars = 400
/** Shorter path segments are words like `v3`, not keys. */
const secretMinChars = 8

export function redactor(url: URL): (text: string) => string {
  const secrets = [url.host, url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()]
    .filter((text) => text.length >= secretMinChars)
    .sort((one, other) => other.length - one.length)
  return (text) => {
    const withoutUrls = text.replaceAll(/\b(?:https?|wss?):\/\/\S+/gi, '…')
    return secrets.reduce((kept, secret) => kept.replaceAll(secret, '…'), withoutUrls).slice(0, messageMaxChars)
  }
}

/** Every text in what came as JSON, however deep; hex is data, which no URL can hide in, and keeps its length. */
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
