// Sends requests to the service that served this page. The browser adds the session's cookie.
import { prefix } from './prefix.ts'

export class Failure extends Error {
  override readonly name = 'Failure'
  /** The service's `Relayer-Error-Code`; `NO_ANSWER` without an answer. */
  readonly code: string
  readonly status: number

  constructor(code: string, status: number, message: string) {
    super(message)
    this.code = code
    this.status = status
  }
}

export interface Reply<T> {
  readonly data: T
  readonly total: number
  /** The total is a lower bound. */
  readonly isAtLeast?: true
  /** The `before` of the next request, in a list that has one. */
  readonly next?: string
  /** The bulk cancellation that the request made. */
  readonly bulk?: string
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  /** The key under which the same request may be sent again. */
  readonly idempotencyKey?: string
  /** The page refreshes itself: that does not keep the session alive. */
  readonly background?: boolean
  readonly signal?: AbortSignal
}

interface Success<T> {
  readonly data: T
  readonly pagination: { readonly total_items: number }
}

let atRefusal = () => {}

/** Calls `run` when an answer shows that the session has ended. */
export function whenSessionEnds(run: () => void): void {
  atRefusal = run
}

/** `path` from `/v1` or `/session` on. Throws Failure, and the reason of an aborted signal. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<Reply<T>> {
  const { method = 'GET', body, idempotencyKey, background, signal } = options
  const answer = await fetch(`${prefix}/dashboard/api${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(background && { 'x-background': '1' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: 'error',
  }).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw new Failure(
      'NO_ANSWER',
      0,
      `The service did not answer (${error instanceof Error ? error.message : 'no reason'}).`,
    )
  })
  if (!answer.ok) throw await failureOf(answer, path)
  const { data, pagination }: Success<T> = await answer.json()
  const next = answer.headers.get('relayer-next-before')
  const bulk = answer.headers.get('relayer-bulk-cancellation')
  return {
    data,
    total: pagination.total_items,
    ...(answer.headers.get('relayer-total') === 'at-least' && { isAtLeast: true as const }),
    ...(next !== null && { next }),
    ...(bulk !== null && { bulk }),
  }
}

async function failureOf(answer: Response, path: string): Promise<Failure> {
  const code = answer.headers.get('relayer-error-code') ?? `HTTP_${answer.status}`
  const { message = `HTTP ${answer.status}` } = await answer.json().catch(() => ({}))
  if (code === 'UNAUTHORIZED' && path !== '/session') atRefusal()
  return new Failure(code, answer.status, message)
}

/** A path whose parts may hold any character. */
export function pathOf(strings: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return strings.reduce((path, text, index) => path + encodeURIComponent(String(parts[index - 1] ?? '')) + text)
}
