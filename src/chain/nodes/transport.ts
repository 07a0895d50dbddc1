// One HTTP request with a JSON body to one node. Tells apart what certainly never left from what may have arrived.
import { errors } from 'undici'
import type { Clock } from '../../ops/clock.ts'
import { memberOf } from '../../ops/member.ts'
import type { SecretHeaders } from '../../ops/request-headers.ts'
import { late, within } from '../../ops/within.ts'
import type { ByteBudget } from './byte-budget.ts'
import { openConnections } from './connections.ts'
import { answerLimits, type ExpectedAnswer } from './expected-answer.ts'
import { implausible } from './implausible.ts'
import type { LargeAnswers } from './large-answers.ts'
import { receive } from './receive.ts'

/**
 * `status` is the HTTP status, where there was an answer with one. `isTooLarge`: the answer exceeded its limit.
 * `isEmpty`: an HTTP 200 without a body.
 */
export type HttpAnswer =
  | { readonly kind: 'body'; readonly status: number; readonly json: unknown }
  | {
      readonly kind: 'unknown'
      readonly status?: number
      readonly message: string
      readonly isTooLarge?: boolean
      readonly isEmpty?: boolean
    }
  | { readonly kind: 'unsent'; readonly message: string }

export interface Transport {
  /** Never rejects. Without `expected`, the answer is one member of any method. */
  post(body: string, expected?: ExpectedAnswer): Promise<HttpAnswer>
  /** Takes URL and keys out of a node's words. */
  redact(text: string): string
  close(): Promise<void>
}

export interface TransportOptions {
  readonly url: string
  /** Headers of each request. An `authorization` counts before the user that the URL names. */
  readonly headers?: SecretHeaders
  readonly clock: Clock
  readonly timeoutMs: number
  /** Defaults: 16, and 2 MiB. The second is for answers without an expectation. */
  readonly connectionsMax?: number
  readonly answerBytesMax?: number
  /** Absent: all answers are parsed on this thread, and no budget limits them. */
  readonly large?: LargeAnswers
}

export type OpenTransport = (options: TransportOptions) => Transport

const answerBytesMaxDefault = 2 * 1024 * 1024
const connectionsMaxDefault = 16

/** Throws TypeError, without the URL, when it is none. */
export function openTransport(options: TransportOptions): Transport {
  const { clock, timeoutMs, connectionsMax = connectionsMaxDefault, answerBytesMax = answerBytesMaxDefault } = options
  const { post, redact, close } = openConnections({ ...options, connectionsMax })
  const budget: ByteBudget | undefined = options.large?.share()

  async function exchange(body: string, expected: ExpectedAnswer, tried: Try): Promise<HttpAnswer> {
    const { status, moved, ...answer } = await post(body, tried.signal)
    const { bytesMax } = expected
    const received = await receive({ ...answer, ...tried, bytesMax, budget })
    if (received === 'tooLarge') {
      return { kind: 'unknown', status, message: `an answer of more than ${bytesMax} bytes`, isTooLarge: true }
    }
    try {
      if (status === 429) return { kind: 'unknown', status, message: 'rate limited (HTTP 429)' }
      if (moved !== undefined) return { kind: 'unknown', status, message: moved }
      if (received.bytes.length === 0 && status === 200) {
        return { kind: 'unknown', status, message: 'an answer without a body', isEmpty: true }
      }
      // Some nodes send JSON-RPC errors with an HTTP status of 400 or 500: the body counts where there is one.
      const reading = await readAnswer(received.bytes, expected.calls, options.large)
      if ('json' in reading) return { kind: 'body', status, json: reading.json }
      const { refused, isTooLarge, isJson } = reading
      return { kind: 'unknown', status, message: isJson || status === 200 ? refused : `HTTP ${status}`, isTooLarge }
    } finally {
      received.release()
    }
  }

  return {
    redact,
    close,
    async post(body, expected = { bytesMax: answerBytesMax, calls: anyCall }) {
      let receivedBytes = 0
      const progress = (bytes: number) => {
        receivedBytes = bytes
      }
      try {
        const posted = await within(clock, timeoutMs, (signal) => exchange(body, expected, { signal, progress }))
        if (posted !== late) return posted
        // A large answer took too long, and would the next time.
        const isTooLarge = receivedBytes > answerLimits.mainThreadBytes
        return { kind: 'unknown', message: `no answer within ${timeoutMs} ms`, ...(isTooLarge && { isTooLarge }) }
      } catch (error) {
        return neverConnected(error)
          ? { kind: 'unsent', message: `no connection (${codeOf(error)})` }
          : { kind: 'unknown', message: `the connection failed (${codeOf(error)})` }
      }
    },
  }
}

interface Try {
  readonly signal: AbortSignal
  readonly progress: (bytes: number) => void
}

const anyCall: ExpectedAnswer['calls'] = [{ id: 1, method: '' }]

/**
 * Whether the error proves that there was no connection to send a byte over. Name lookup and `connect` come before the
 * first byte; the same codes from a read or a write prove nothing.
 */
function neverConnected(error: unknown): boolean {
  if (error instanceof errors.ConnectTimeoutError) return true
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverConnected)
  const syscall = memberOf(error, 'syscall')
  return syscall === 'connect' || syscall === 'getaddrinfo'
}

/** A code never holds a URL; an undici message may. */
function codeOf(error: unknown): string {
  const code = memberOf(error, 'code')
  return typeof code === 'string' ? code : String(memberOf(error, 'name') ?? 'error')
}

type AnswerReading =
  | { readonly json: unknown }
  | { readonly refused: string; readonly isTooLarge: boolean; readonly isJson: boolean }

const notJson: AnswerReading = { refused: 'an answer that is not JSON', isTooLarge: false, isJson: false }

/** Turns the bytes of an answer into JSON, on the main thread where they are few. */
async function readAnswer(
  bytes: Buffer,
  calls: ExpectedAnswer['calls'],
  large: LargeAnswers | undefined,
): Promise<AnswerReading> {
  if (bytes.length > answerLimits.mainThreadBytes && large) {
    const reading = await large.read({ bytes, calls })
    return 'text' in reading ? parsed(reading.text, calls.length) : reading
  }
  const reason = bytes.length > answerLimits.uncountedBytes ? implausible(bytes, calls.length) : undefined
  return reason === undefined ? parsed(bytes.toString(), calls.length) : refusal(reason)
}

function parsed(text: string, calls: number): AnswerReading {
  try {
    const json: unknown = JSON.parse(text)
    if (Array.isArray(json) && json.length > calls) return refusal('an answer with more members than calls')
    return { json }
  } catch {
    return notJson
  }
}

function refusal(refused: string): AnswerReading {
  return { refused, isTooLarge: false, isJson: true }
}
