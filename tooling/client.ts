// A small client of the HTTP API for tests, demo and bench, and a bounded wait for a condition.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export interface SendBody {
  readonly to?: string
  readonly value?: string | number
  readonly data?: string
  readonly gas_limit?: number
  readonly allow_out_of_gas?: boolean
  readonly speed?: string | { readonly name: string }
  readonly gas_price?: string
  readonly max_fee_per_gas?: string
  readonly max_priority_fee_per_gas?: string
  readonly valid_until?: string
  readonly hold?: boolean
  readonly hold_for?: string
  readonly not_before?: string
  readonly access_list?: readonly { readonly address: string; readonly storage_keys: readonly string[] }[]
}

export interface TransactionView {
  readonly id: string
  readonly relayer_id: string
  readonly status: string
  readonly status_reason?: string
  readonly confirmed_at?: string
  readonly hash?: string
  readonly nonce?: number
  readonly from: string
  readonly to?: string
  readonly value: string
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown
}

export type Client = ReturnType<typeof openClient>

/** Its functions answer the envelope's `data`, and throw on anything but 200; `request` answers whatever came. */
export function openClient(url: string, apiKey: string) {
  const pool = new Pool(url, { connections: 8 })
  const authorization = `Bearer ${apiKey}`

  async function request(
    method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH',
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const json = options.body === undefined ? {} : { body: JSON.stringify(options.body) }
    const contentType = options.body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization, ...contentType, ...options.headers }
    const answer = await pool.request({ method, path: `/api/v1${path}`, headers, ...json })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type'] ?? '').includes('json')
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
  }

  async function data<T>(...args: Parameters<typeof request>): Promise<T> {
    const answer = await request(...args)
    if (answer.status === 200) return (answer.body as { data: T }).data
    const code = answer.headers['relayer-error-code']
    throw new Error(`${args[0]} ${args[1]}: ${answer.status} ${code ?? ''} ${JSON.stringify(answer.body)}`)
  }

  const at = (relayer: string, rest = '') => `/relayers/${encodeURIComponent(relayer)}/transactions${rest}`
  return {
    request,
    send: (relayer: string, body: SendBody) => data<TransactionView>('POST', at(relayer), { body }),
    get: (relayer: string, id: string) => data<TransactionView>('GET', at(relayer, `/${id}`)),
    list: (relayer: string, query = '') => data<TransactionView[]>('GET', at(relayer, query && `?${query}`)),
    cancel: (relayer: string, id: string, headers: Record<string, string> = {}) =>
      data<TransactionView>('DELETE', at(relayer, `/${id}`), { headers }),
    release: (relayer: string, id: string) => data<TransactionView>('POST', at(relayer, `/${id}/release`)),
    cancelPending: (relayer: string) => data<BulkView>('DELETE', at(relayer, '/pending')),
    cancellation: (relayer: string, id: string) => data<CancellationView>('GET', at(relayer, `/${id}/cancellation`)),
    attempts: (relayer: string, id: string) => data<AttemptView[]>('GET', at(relayer, `/${id}/attempts`)),
    close: () => pool.close(),
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}

export interface BulkView {
  readonly queued_for_cancellation_transaction_ids: string[]
  readonly failed_to_queue_transaction_ids: string[]
  readonly total_processed: number
}

export interface CancellationView {
  readonly state: string
  readonly final: boolean
  readonly safe_to_retry: boolean
  readonly preconfirmed?: true
  readonly winner?: { readonly hash: string }
  readonly witnesses?: number
  /** Decimal wei. */
  readonly cost: string
}

export interface AttemptView {
  readonly hash: string
  readonly kind: string
  readonly nonce: number
  readonly max_fee_per_gas?: string
}

/**
 * Looks until `condition` is true or answers something, and returns that. Throws after `limitMs` with `what` was awaited
 * and the condition's last error. Without `everyMs` it looks more rarely the longer it waits: a look costs both sides.
 */
export async function until<T>(
  condition: () => Promise<T | false | undefined> | T | false | undefined,
  options: { everyMs?: number; limitMs?: number; what: string | (() => string) },
): Promise<T> {
  const { everyMs, limitMs = 40_000, what } = options
  const began = performance.now()
  const end = began + limitMs
  let failure: unknown
  for (;;) {
    try {
      const result = await condition()
      if (result !== false && result !== undefined) return result
      failure = undefined
    } catch (error) {
      failure = error
    }
    if (performance.now() >= end) {
      throw new Error(`waited ${limitMs} ms in vain for ${typeof what === 'string' ? what : what()}`, {
        cause: failure,
      })
    }
    await sleep(everyMs ?? Math.min(100, Math.max(10, (performance.now() - began) / 5)))
  }
}
