// Every recorded answer of every client, and the answers that prove nothing.
import { describe, expect, test } from 'vitest'
import { toAnswer } from '../../../src/chain/nodes/response-body.ts'
import {
  broadcastOutcome,
  doubtsChain,
  isAboutTransaction,
  mergeOutcomes,
  minimumTipIn,
  worthAnother,
} from '../../../src/chain/sending/broadcast-outcome.ts'
import type { BroadcastOutcome, RejectionCode } from '../../../src/domain/attempt.ts'
import { samples } from '../../../tooling/broadcast-samples.ts'

const hash = `0x${'12'.repeat(32)}` as const

describe('a node that says no', () => {
  test.each(samples)('$client: "$message" is $means', ({ message, code = -32000, means }) => {
    const outcome = broadcastOutcome({ kind: 'rpcError', code, message }, hash)
    if (means === 'alreadyKnown' || means === 'unknown') expect(outcome.kind).toBe(means)
    else expect(outcome).toEqual({ kind: 'rejected', code: means, message })
  })
})

test('a code of rate limits with words of the transaction is read by its words', () => {
  const redact = (text: string) => text
  const outcomeOf = (code: number, message?: string) =>
    broadcastOutcome(toAnswer({ error: { code, ...(message !== undefined && { message }) } }, redact), hash)
  for (const message of [
    'daily request count exceeded, request rate limited',
    'Too Many Requests',
    'limit exceeded',
    '',
  ]) {
    expect(outcomeOf(-32_005, message)).toEqual({ kind: 'unknown', message: 'rate limited' })
  }
  expect(outcomeOf(-32_005)).toEqual({ kind: 'unknown', message: 'rate limited' })
  expect(outcomeOf(429, 'whatever')).toEqual({ kind: 'unknown', message: 'rate limited' })
  expect(outcomeOf(-32_005, 'Transaction gas limit exceeds block gas limit')).toMatchObject({ code: 'invalid' })
  expect(outcomeOf(-32_005, 'nonce too low')).toMatchObject({ code: 'nonceTooLow' })
  const paused = 'the sequencer has paused intake'
  expect(outcomeOf(-32_005, paused)).toMatchObject({ code: 'unrecognized', message: `${paused} (-32005)` })
})

describe('words behind a revert', () => {
  const chosen = samples.map(({ message }) => message)
  const forms: readonly ((words: string) => { code: number; message: string; data?: unknown })[] = [
    (words) => ({ code: 3, message: `execution reverted: ${words}` }),
    (words) => ({ code: 3, message: words }),
    (words) => ({ code: -32_000, message: `simulation failed: Execution reverted: ${words}` }),
    (words) => ({ code: -32_603, message: `VM Exception: reverted with reason string '${words}'` }),
    (words) => ({ code: -32_000, message: 'execution reverted', data: words }),
    (words) => ({ code: -32_015, message: 'VM execution error.', data: `Reverted ${words}` }),
    (words) => ({ code: -32_603, message: 'Internal JSON-RPC error.', data: { message: words, code: 3 } }),
    (words) => ({ code: -32_603, message: 'Internal error', data: { message: `execution reverted: ${words}` } }),
  ]

  test.each(forms.map((form) => [form('…'), form] as const))(
    '%j classifies nothing, as a contract chooses them',
    (_, form) => {
      for (const words of [...chosen, 'wrong chain id', 'gas tip cap 1, minimum needed 9']) {
        const answer = { kind: 'rpcError', ...form(words) } as const
        const message = `${answer.message} (${answer.code})`
        expect(broadcastOutcome(answer, hash)).toEqual({ kind: 'unknown', code: 'unrecognized', message })
        expect([doubtsChain(answer), isAboutTransaction(answer), minimumTipIn(answer)]).toEqual([
          false,
          false,
          undefined,
        ])
      }
    },
  )

  test('those before it are the node’s own', () => {
    const answer = { kind: 'rpcError', code: -32_000, message: 'nonce too low (execution reverted)' } as const
    expect(broadcastOutcome(answer, hash)).toMatchObject({ kind: 'rejected', code: 'nonceTooLow' })
  })
})

describe('words further in', () => {
  const inner = (words: string): readonly unknown[] => [
    words,
    { message: words },
    { code: -32_000, data: { message: words } },
    { error: { originalError: { message: words } } },
  ]
  const outcomes = (words: string, message = 'Internal error') =>
    inner(words).map((data) => broadcastOutcome({ kind: 'rpcError', code: -32_603, message, data }, hash))

  test('are read where the message says nothing, and refuse at most', () => {
    const refused = { kind: 'rejected', code: 'insufficientFunds', message: 'Internal error' }
    expect(outcomes('insufficient funds for gas')).toEqual(inner('').map(() => refused))
    for (const words of ['already known', 'nonce too low']) {
      for (const outcome of outcomes(words)) expect(outcome).toMatchObject({ kind: 'unknown', code: 'unrecognized' })
    }
  })

  test('count less than the message', () => {
    for (const outcome of outcomes('insufficient funds', 'txpool is full'))
      expect(outcome).toMatchObject({ code: 'poolFull' })
  })

  test('hex is no words, and what lies far is not read', () => {
    const hidden = `0x${Buffer.from('insufficient funds').toString('hex')}`
    const far = `${' '.repeat(400)}insufficient funds`
    for (const data of [...inner(hidden), ...inner(far), null, 5, []])
      expect(broadcastOutcome({ kind: 'rpcError', code: -32_603, message: 'Internal error', data }, hash).kind).toBe(
        'unknown',
      )
  })
})

test('an error that nobody has recorded says so, beside its words', () => {
  const odd = broadcastOutcome({ kind: 'rpcError', code: -32_000, message: 'unknown transaction type' }, hash)
  expect(odd).toEqual({ kind: 'unknown', code: 'unrecognized', message: 'unknown transaction type (-32000)' })
})

describe('a node that says something else', () => {
  test('its own hash is acceptance, in any case of letters', () => {
    expect(broadcastOutcome({ kind: 'value', value: hash }, hash)).toEqual({ kind: 'accepted' })
    const shouted = `0x${'AB'.repeat(32)}`
    expect(broadcastOutcome({ kind: 'value', value: shouted }, `0x${'ab'.repeat(32)}`)).toEqual({ kind: 'accepted' })
  })

  test.each([null, `0x${'99'.repeat(32)}`, 7, {}])('%j instead of the hash is unknown', (value) => {
    expect(broadcastOutcome({ kind: 'value', value }, hash).kind).toBe('unknown')
  })

  test('an unknown outcome stays unknown, a certainly unsent one stays unsent', () => {
    expect(broadcastOutcome({ kind: 'unknown', message: 'm' }, hash)).toEqual({ kind: 'unknown', message: 'm' })
    expect(broadcastOutcome({ kind: 'unsent', message: 'm' }, hash)).toEqual({ kind: 'unsent', message: 'm' })
  })
})

describe('several nodes about the same bytes', () => {
  const rejected = (code: RejectionCode): BroadcastOutcome => ({ kind: 'rejected', code, message: code })
  const accepted: BroadcastOutcome = { kind: 'accepted' }
  const alreadyKnown: BroadcastOutcome = { kind: 'alreadyKnown' }
  const unknown: BroadcastOutcome = { kind: 'unknown', message: 'u' }
  const unrecognized: BroadcastOutcome = { kind: 'unknown', code: 'unrecognized', message: 'on hold' }
  const unsent: BroadcastOutcome = { kind: 'unsent', message: 'n' }

  test.each([
    [accepted, rejected('nonceTooLow'), accepted],
    [alreadyKnown, unknown, alreadyKnown],
    [unknown, rejected('invalid'), unknown],
    [unknown, unsent, unknown],
    [unknown, unrecognized, unrecognized],
    [accepted, unrecognized, accepted],
    [rejected('invalid'), unsent, rejected('invalid')],
    [rejected('invalid'), rejected('nodeLimit'), rejected('nodeLimit')],
    [rejected('feeTooLow'), rejected('invalid'), rejected('feeTooLow')],
    [rejected('poolFull'), rejected('nonceTooLow'), rejected('nonceTooLow')],
    [rejected('invalid'), rejected('invalid'), rejected('invalid')],
    [unsent, unsent, unsent],
  ])('%j with %j is %j, in either order', (one, other, together) => {
    expect(mergeOutcomes(one, other)).toEqual(together)
    expect(mergeOutcomes(other, one)).toEqual(together)
  })

  test('another endpoint is tried where nothing was learned, or the refusal may be one node’s own', () => {
    const specific = [rejected('nodeLimit'), rejected('poolFull'), rejected('invalid')]
    expect([unknown, unsent, ...specific].every(worthAnother)).toBe(true)
    expect([accepted, alreadyKnown, rejected('nonceTooLow')].some(worthAnother)).toBe(false)
  })
})
