// One HTTP exchange with a key service, and the meaning of an answer that is no success.
import { type Dispatcher, request } from 'undici'
import type { Clock } from '../ops/clock.ts'
import { memberOf } from '../ops/member.ts'
import type { Random } from '../ops/random.ts'
import { errorKind, type FailureProvider, failureKind, statusKind } from './failure-table.ts'
import { KeyServiceError, type KeyServiceErrorKind } from './key-service.ts'
import type { Proxies } from './proxies.ts'

/** The parts of the process that a client of a key service uses. */
export interface ServiceAccess {
  readonly clock: Clock
  readonly random: Random
  /** How requests leave; undici's own connections by default. */
  readonly dispatcher?: Dispatcher
  /** For clients that make connections of their own. */
  readonly proxies?: Proxies
  /** Gets the date of each answer of the key service, for the offset of this machine's clock. */
  readonly noteDate?: (date: string | undefined) => void
}

interface ServiceCall {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Makes it a POST, of JSON unless a header says otherwise. */
  readonly body?: string | undefined
}

export interface ServiceAnswer {
  readonly status: number
  header(name: string): string | undefined
  readonly text: string
  /** The text as JSON; undefined if it is none. */
  readonly body: unknown
}

/** The service answered, with a status that is no success. */
export class ServiceRefusal extends KeyServiceError {
  readonly status: number

  constructor(status: number, message: string, facts: ConstructorParameters<typeof KeyServiceError>[1]) {
    super(message, facts)
    this.status = status
  }
}

const answerBytesMax = 1024 * 1024

/** Follows no redirect: a target that nobody configured would get the credentials. Throws KeyServiceError. */
export async function exchange(
  { url, headers, body }: ServiceCall,
  { dispatcher, noteDate }: Pick<ServiceAccess, 'dispatcher' | 'noteDate'>,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  try {
    const answer = await request(url, {
      signal,
      ...(body === undefined
        ? { method: 'GET', headers: { ...headers } }
        : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }),
      ...(dispatcher && { dispatcher }),
    })
    const text = await readText(answer.body)
    const header = (name: string) => [answer.headers[name] ?? []].flat()[0]
    noteDate?.(header('date'))
    return { status: answer.statusCode, header, text, body: parsed(text) }
  } catch (error) {
    throw brokenOff(error)
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > answerBytesMax) {
      throw new KeyServiceError(`its answer has more than ${answerBytesMax} bytes`, {
        kind: 'transient',
        code: 'ANSWER_TOO_LONG',
      })
    }
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No answer came. A code never holds a URL or a header; a message may, so it is left out. */
export function brokenOff(error: unknown): KeyServiceError {
  if (error instanceof KeyServiceError) return error
  const given = memberOf(error, 'code') ?? memberOf(error, 'name')
  const code = typeof given === 'string' ? given : 'NO_ANSWER'
  return new KeyServiceError(`no answer (${code})`, { kind: 'transient', code })
}

/** The refusal that an answer means, by the table of failures. `given`: the provider's own code, where it has one. */
export function refusedBy(
  answer: ServiceAnswer,
  given: unknown,
  clock: Clock,
  of: FailureProvider = 'https',
  kindOf: (byStatus: KeyServiceErrorKind) => KeyServiceErrorKind = (byStatus) => byStatus,
): ServiceRefusal {
  const { status } = answer
  const code = typeof given === 'string' && /^[\w .:-]{1,80}$/.test(given) ? given : `HTTP_${status}`
  const retryAfterMs = retryAfter(answer.header('retry-after'), clock)
  return new ServiceRefusal(status, code === `HTTP_${status}` ? `HTTP ${status}` : `HTTP ${status}: ${code}`, {
    kind: kindOf(errorKind(statusKind(of, status))),
    code,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

const retryAfterMaxMs = 60_000

/** RFC 9110 §10.2.3: seconds or a date. */
function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d{1,6}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), retryAfterMaxMs) : undefined
}

/** Whether an answer of the provider refuses credentials that can be renewed. */
export function refusesCredentials(of: FailureProvider): (error: KeyServiceError) => boolean {
  return (error) =>
    failureKind(of, error.code) === 'renewed' ||
    (error instanceof ServiceRefusal && statusKind(of, error.status) === 'renewed')
}

export function permanent(message: string, code: string): KeyServiceError {
  return new KeyServiceError(message, { kind: 'permanent', code })
}

/** The service works on it. */
export function asPending(message: string, code: string, activity?: string): KeyServiceError {
  return new KeyServiceError(message, { kind: 'pending', code, ...(activity !== undefined && { activity }) })
}

/** The answer has the status of a success, and not the members of one. */
export function malformed(what: string): KeyServiceError {
  return new KeyServiceError(`its answer has no ${what}`, { kind: 'transient', code: 'MALFORMED_ANSWER' })
}

/** Where the provider refuses credentials: makes new ones and tries once more. */
export async function withFreshCredentials<T>(
  attempt: () => Promise<T>,
  isRefusal: (error: KeyServiceError) => boolean,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof KeyServiceError) || !isRefusal(error)) throw error
    return attempt()
  }
}
