// The largest legal and the largest illegal request of each operation in the OpenAPI document, so that a new route is measured
// without a word here. What the document does not say is how large a legal body can be: that stands here, by operation.
import { devAccount } from '../tooling/dev-accounts.ts'

export interface Knock {
  readonly scope: string
  readonly route: string
  readonly which: 'legal' | 'illegal'
  readonly what: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly bodies?: readonly string[]
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema?: { readonly maximum?: number }
}

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface DocumentedOperation {
  readonly operationId: string
  readonly security: readonly { readonly apiKey?: readonly string[] }[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

/** Parameters that say how much an answer holds. */
const pages = new Set(['per_page', 'days'])

/** The number of requests for each route and kind, sent one after the other. */
export const knocks = 5

const kib = 1_024
const to = devAccount(1).address
const manyKeys = Array.from({ length: 1_024 }, (_, key) => `0x${key.toString(16).padStart(64, '0')}`)
const addresses = Array.from({ length: 4_000 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
/** About 128 KiB, signed. */
const largest = { to, value: '1', data: `0x${'ab'.repeat(130_800)}` }
const listed = { to, value: '1', access_list: [{ address: to, storage_keys: manyKeys }] }
const batchOf = (count: number, transaction: object) => ({ transactions: Array(count).fill(transaction) })
export const fill = JSON.stringify(batchOf(16, largest))

type Bodies = Readonly<Record<string, (knock: number) => object>>

/** By operation, then by what the request holds. */
const largestBodies: Readonly<Record<string, Bodies>> = {
  sendTransaction: { '128 KiB of data': () => largest, '1,024 storage keys': () => listed },
  sendTransactions: {
    '16 of 128 KiB': () => batchOf(16, largest),
    '59 with 1,024 storage keys each': () => batchOf(59, listed),
  },
  replaceTransaction: { '128 KiB of data': () => largest },
  signMessage: { '200 KiB': () => ({ message: 'x'.repeat(200 * kib) }) },
  rpc: { 'an answer of 1 MiB': () => ({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{}] }) },
  updateRelayer: { '4,000 receivers': () => ({ policies: { whitelist_receivers: addresses } }) },
  createRelayer: {
    '4,000 receivers': (knock) => ({
      ...{ id: `made-${knock}`, name: 'Made', network: 'localhost', network_type: 'evm', signer_id: 'made' },
      policies: { whitelist_receivers: addresses },
    }),
  },
  createSigner: {
    'a private key': (knock) => ({ id: `made-${knock}`, type: 'plain', config: { key: devAccount(3 + knock).key } }),
  },
  createApiKey: {
    'all scopes': (knock) => ({
      name: `bench ${knock}`,
      scopes: ['read', 'send', 'cancel', 'sign'],
      relayers: ['bench'],
    }),
  },
}

/** The limit of a body, where it isn't that of the server. */
const bodyLimits: Readonly<Record<string, number>> = { sendTransactions: 4_096 * kib, createSigner: 16 * kib }
const bodyLimit = 256 * kib
/** A request line with more is refused before it is a request. */
const longest = 'x'.repeat(15 * kib)

/** By the name of their parameter. */
export type Ids = Readonly<Record<string, string>> & { readonly transaction_id: string }

export function knocksOn(document: Document, known: Ids): readonly Knock[] {
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => knocksOf(path, method.toUpperCase(), operation, known)),
  )
  const order: readonly Knock['method'][] = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']
  // What later requests read is made first, and removed last.
  return order.flatMap((method) => all.filter((knock) => knock.method === method))
}

function knocksOf(
  path: string,
  method: string,
  { operationId, security, parameters = [], requestBody }: DocumentedOperation,
  known: Ids,
): readonly Knock[] {
  const scope = security[0]?.apiKey?.[0] ?? 'none'
  const common = { scope, route: `${method} ${path.replace('/api/v1', '')}`, method: method as Knock['method'] }
  const here = withIds(path, known)
  const media = Object.values(requestBody?.content ?? {})[0]
  if (!media) {
    const query = parameters.flatMap(({ in: place, name, required, schema }) => {
      if (place !== 'query') return []
      if (required) return [`${name}=${known.transaction_id}`]
      return pages.has(name) && schema?.maximum !== undefined ? [`${name}=${schema.maximum}`] : []
    })
    const legal = query.length > 0 ? `${here}?${query.join('&')}` : here
    return [
      { ...common, which: 'legal', what: query.join(', '), path: legal },
      { ...common, which: 'illegal', what: 'a long query', path: `${here}?unknown=${longest}` },
    ]
  }
  const named = largestBodies[operationId] ?? { 'the example': () => exampleOf(media) }
  const legal = Object.entries(named).map(([what, bodyOf]) => {
    const bodies = Array.from({ length: knocks }, (_, knock) => JSON.stringify(bodyOf(knock)))
    return { ...common, which: 'legal' as const, what, path: here, bodies }
  })
  const limit = bodyLimits[operationId] ?? bodyLimit
  const illegal = { 'empty lists': emptyLists(limit), 'a long text': longText(limit) }
  return [
    ...legal,
    ...Object.entries(illegal).map(([what, body]) => ({
      ...{ ...common, which: 'illegal' as const, what, path: here },
      bodies: Array(knocks).fill(body),
    })),
  ]
}

/** As many bytes as the route reads, of the structure that takes longest to refuse. */
function emptyLists(bytes: number): string {
  return `{"transactions":[${'[],'.repeat(Math.floor((bytes - 32) / 3))}0]}`
}

/** Each member that a body may have is as wrong as the last: hex that ends with two other characters. */
function longText(bytes: number): string {
  const text = `0x${'ab'.repeat((bytes - 200) / 2)}zz`
  return JSON.stringify({ to, value: '1', data: text })
}

function exampleOf({ example, examples = {} }: Media): object {
  const value = example ?? Object.values(examples)[0]?.value ?? {}
  return typeof value === 'object' && value !== null ? value : {}
}

function withIds(path: string, known: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '00000000-0000-4000-8000-000000000000')
}
