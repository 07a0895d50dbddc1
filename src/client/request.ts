// Sends one request to the API, over fetch, and turns everything but a success into an error.

/** The service answered, and refused or failed. Programs branch on `code`, people read the message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The header Relayer-Error-Code, as in docs/errors.md; absent where something in between answered. */
  readonly code: string | undefined
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Of EXTERNAL_ID_TAKEN: the transaction that has the id. */
  readonly transactionId: string | undefined

  constructor(message: string, { status, headers }: Pick<Response, 'status' | 'headers'>) {
    super(message)
    this.status = status
    this.code = headers.get('relayer-error-code') ?? undefined
    this.requestId = headers.get('x-request-id') ?? undefined
    this.transactionId = headers.get('relayer-transaction-id') ?? undefined
    this.retryAfterSeconds = secondsIn(headers.get('retry-after'), headers.get('date'))
  }
}

/** RFC 9110 §10.2.3: seconds, or a date, as a proxy may send it: it counts from the date of the answer. */
function secondsIn(header: string | null, sentAt: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.parse(sentAt ?? '')) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** There was no answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  /** True if there was no connection, so that the service can't have read the request. */
  readonly isUnsent: boolean

  constructor(message: string, isUnsent: boolean, options: { cause: unknown }) {
    super(message, options)
    this.isUnsent = isUnsent
  }
}

export interface Connection {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly apiKey: string
  /** For an answer, without the seconds that a request waits for a verdict. Default: 30,000. */
  readonly timeoutMs?: number
  /** Aborts every request. */
  readonly signal?: AbortSignal
  /** Default: the global one. */
  readonly fetch?: typeof fetch
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From `/api/v1` on. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** How long the service may wait before it answers. */
  readonly patienceMs?: number
  readonly signal?: AbortSignal
}

export interface ApiPage<T> {
  readonly items: readonly T[]
  /** Of all pages. */
  readonly total: number
  /** Present where `total` is a lower bound. */
  readonly isAtLeast?: true
  /** The `before` of the next request, where a list has one. Absent at its end. */
  readonly next?: string
}

interface SuccessBody<T> {
  readonly data: T
  readonly pagination: { readonly total_items: number }
}

export const timeoutMsDefault = 30_000

/** Throws ApiError and NoAnswer, and the reason of an aborted signal. */
export async function requestData<T>(connection: Connection, request: ApiRequest): Promise<T> {
  return (await requestSuccess<T>(connection, request)).data
}

export async function requestPage<T>(connection: Connection, request: ApiRequest): Promise<ApiPage<T>> {
  const { data, pagination, headers } = await requestSuccess<readonly T[]>(connection, request)
  const next = headers.get('relayer-next-before')
  return {
    items: data,
    total: pagination.total_items,
    ...(headers.get('relayer-total') === 'at-least' && { isAtLeast: true }),
    ...(next !== null && { next }),
  }
}

async function requestSuccess<T>(
  connection: Connection,
  request: ApiRequest,
): Promise<SuccessBody<T> & { readonly headers: Headers }> {
  const enough = AbortSignal.timeout((connection.timeoutMs ?? timeoutMsDefault) + (request.patienceMs ?? 0))
  return answering(connection, request, enough, async (answer) => ({
    ...parseExactly<SuccessBody<T>>(await answer.text()),
    headers: answer.headers,
  }))
}

/** Integers beyond 2^53 become texts of all their digits: amounts of policies and balances are numbers in the API. */
function parseExactly<T>(json: string): T {
  // Few answers have such a number, and a reviver costs time for each value.
  if (!/[:,[]\s*-?\d{16}/.test(json)) return JSON.parse(json)
  return JSON.parse(json, (_member, value, { source }: ReviverContext = {}) =>
    typeof value === 'number' && source !== undefined && /^\d+$/.test(source) && !Number.isSafeInteger(value)
      ? source
      : value,
  )
}

/** The proposal "JSON.parse source text access" of ECMAScript, which the types of TypeScript lack. */
interface ReviverContext {
  readonly source?: string
}

/** `read` gets a success; `enough` ends the waiting. Throws as `requestData` does. */
export async function answering<T>(
  connection: Connection,
  request: ApiRequest,
  enough: AbortSignal | undefined,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  const stops = [connection.signal, request.signal].filter((signal) => signal !== undefined)
  try {
    const signal = AbortSignal.any([...stops, ...(enough ? [enough] : [])])
    const answer = await (connection.fetch ?? fetch)(urlOf(connection, request), {
      ...initOf(connection, request),
      signal,
    })
    if (!answer.ok) throw new ApiError(messageOf(await answer.text(), answer.status), answer)
    return await read(answer)
  } catch (error) {
    for (const stop of stops) stop.throwIfAborted()
    if (error instanceof ApiError) throw error
    throw new NoAnswer(reasonOf(error, connection), isUnsent(error), { cause: error })
  }
}

function urlOf({ url }: Connection, { path, query = {} }: ApiRequest): URL {
  const full = new URL(`${url.replace(/\/+$/, '')}/api/v1${path}`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) full.searchParams.set(name, String(value))
  }
  return full
}

function initOf({ apiKey }: Connection, { method, headers, body }: ApiRequest): RequestInit {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  return {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A redirect would take the key along.
    redirect: 'error',
  }
}

/** The service's sentence. Anything else came from a proxy: only its status counts. */
function messageOf(text: string, status: number): string {
  try {
    const { message } = JSON.parse(text)
    if (typeof message === 'string') return message
  } catch {
    // No JSON.
  }
  return `HTTP ${status}`
}

const neverConnected = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

function isUnsent(error: unknown): boolean {
  return neverConnected.includes(codeOf(error) ?? '')
}

function reasonOf(error: unknown, { url }: Connection): string {
  // Without a path, and without the user and the password that a URL may hold.
  const origin = URL.parse(url)?.origin ?? 'the service'
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer from ${origin} in time`
  const code = codeOf(error)
  return `the connection to ${origin} failed${code === undefined ? '' : ` (${code})`}`
}

/** Node's fetch puts the error of the connection into `cause`. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined
  return typeof cause.code === 'string' ? cause.code : undefined
}
