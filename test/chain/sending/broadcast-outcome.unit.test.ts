// Every recorded answer of every client, and the answers that prove nothing.
import { describe, expect, test } from 'vitest'
import { toAnswer } from '../../../src/chain/nodes/response-body.ts'
import { broadcastOutcome, mergeOutcomes, worthAnother } from '../../../src/chain/sending/broadcast-outcome.ts'
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
