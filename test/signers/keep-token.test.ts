// The token that all calls of a signer share: who renews it, when, and what a caller waits for.
import { expect, test } from 'vitest'
import { keepToken } from '../../src/signers/keep-token.ts'
import { KeyServiceError } from '../../src/signers/key-service.ts'
import { noteDates } from '../../src/signers/note-dates.ts'
import { manualClock } from '../support/manual-clock.ts'
import { quiescence } from '../support/settled.ts'

const hourMs = 3_600_000
const unaborted = new AbortController().signal

/** An issuer that answers when the test says so. */
function issuer(lifeMs = hourMs) {
  const clock = manualClock()
  const waiting: PromiseWithResolvers<string>[] = []
  let issued = 0
  const keeper = keepToken(clock, async () => {
    issued += 1
    const answer = Promise.withResolvers<string>()
    waiting.push(answer)
    return { token: await answer.promise, lifeMs }
  })
  return { clock, keeper, issued: () => issued, answer: () => waiting.shift() }
}

async function known(lifeMs?: number) {
  const issuing = issuer(lifeMs)
  const first = issuing.keeper.token(unaborted)
  issuing.answer()?.resolve('first')
  expect(await first).toBe('first')
  return issuing
}

test('callers of one moment share one renewal', async () => {
  const { keeper, issued, answer } = issuer()
  const all = Array.from({ length: 40 }, () => keeper.token(unaborted))
  answer()?.resolve('first')
  expect(new Set(await Promise.all(all))).toEqual(new Set(['first']))
  expect(issued()).toBe(1)
})

test.each([hourMs, 240_000])('a token of %i ms is renewed ahead of its end, while it still serves', async (lifeMs) => {
  const { clock, keeper, issued, answer } = await known(lifeMs)
  const ahead = Math.min(300_000, lifeMs / 2)
  clock.advance(lifeMs - ahead - 1)
  expect(await keeper.token(unaborted)).toBe('first')
  expect(issued()).toBe(1)
  clock.advance(1)
  expect([await keeper.token(unaborted), await keeper.token(unaborted)]).toEqual(['first', 'first'])
  expect(issued()).toBe(2)
  answer()?.resolve('second')
  await quiescence()
  expect(await keeper.token(unaborted)).toBe('second')
})

test('a token that ended is used no more', async () => {
  const { clock, keeper, answer } = await known()
  clock.advance(hourMs - 15_000)
  const next = keeper.token(unaborted)
  answer()?.resolve('second')
  expect(await next).toBe('second')
})

test('a renewal outlives the caller that began it', async () => {
  const { keeper, issued, answer } = issuer()
  const aborting = new AbortController()
  const first = keeper.token(aborting.signal)
  aborting.abort()
  await expect(first).rejects.toMatchObject({ kind: 'pending', code: 'TOKEN_PENDING' })
  const second = keeper.token(unaborted)
  answer()?.resolve('late')
  expect(await second).toBe('late')
  expect(issued()).toBe(1)
})

test('a renewal that never answers has a limit of its own, and the next caller begins another', async () => {
  const { clock, keeper, issued, answer } = issuer()
  const first = keeper.token(unaborted)
  await quiescence()
  clock.advance(15_000)
  await expect(first).rejects.toMatchObject({ kind: 'transient', code: 'TOKEN_TIMEOUT' })
  for (let count = issued(); count > 0; count -= 1) answer()
  const second = keeper.token(unaborted)
  answer()?.resolve('second')
  expect(await second).toBe('second')
})

test.each(['the first answer', 'the second'])('a request that hangs is repeated, and %s counts', async (which) => {
  const { clock, keeper, issued, answer } = issuer()
  const token = keeper.token(unaborted)
  clock.advance(2_499)
  await quiescence()
  expect(issued()).toBe(1)
  clock.advance(1)
  await quiescence()
  expect(issued()).toBe(2)
  const [first, second] = [answer(), answer()]
  const [right, other] = which === 'the second' ? [second, first] : [first, second]
  // The other may come later, or be refused while too many come.
  if (which === 'the first answer')
    other?.reject(new KeyServiceError('refused', { kind: 'throttled', code: 'HTTP_429' }))
  await quiescence()
  right?.resolve('token')
  expect(await token).toBe('token')
  clock.advance(15_000)
  await quiescence()
  expect(issued()).toBe(2)
})

test('a renewal that fails ahead of the end is tried again, and reported only once the token has ended', async () => {
  const { clock, keeper, answer } = await known()
  const failure = new KeyServiceError('refused', { kind: 'permanent', code: 'REFUSED' })
  clock.advance(hourMs - 200_000)
  expect(await keeper.token(unaborted)).toBe('first')
  answer()?.reject(failure)
  await quiescence()
  expect(await keeper.token(unaborted)).toBe('first')
  answer()?.reject(failure)
  await quiescence()
  clock.advance(200_000)
  const ended = keeper.token(unaborted)
  answer()?.reject(failure)
  await expect(ended).rejects.toBe(failure)
})

test('only the current token can be refused', async () => {
  const { keeper, answer } = await known()
  expect(keeper.refuse('first')).toBe(true)
  const next = keeper.token(unaborted)
  answer()?.resolve('second')
  await next
  expect(keeper.refuse('first')).toBe(false)
  expect(await keeper.token(unaborted)).toBe('second')
})

test('a token is awaited while none is valid and a new one is on its way', async () => {
  const { clock, keeper, answer } = await known()
  expect(keeper.isAwaited()).toBe(false)
  clock.advance(hourMs - 200_000)
  await keeper.token(unaborted)
  // The old one still serves.
  expect(keeper.isAwaited()).toBe(false)
  keeper.refuse('first')
  expect(keeper.isAwaited()).toBe(true)
  answer()?.resolve('second')
  await quiescence()
  expect(keeper.isAwaited()).toBe(false)
})

test('the end of a token is available while it is valid', async () => {
  const { clock, keeper } = await known(240_000)
  clock.advance(40_000)
  expect(keeper.endsInMs()).toBe(200_000)
  clock.advance(200_000)
  expect(keeper.endsInMs()).toBeUndefined()
  // Its issuer keeps it.
  expect((await known(0)).keeper.endsInMs()).toBeUndefined()
})

test('the offset of the clock is that of the last answer with a date, less half of the second that a date leaves out', () => {
  const clock = manualClock()
  const { note, aheadMs } = noteDates(clock)
  expect(aheadMs()).toBeUndefined()
  note(new Date(Math.floor(clock.now() / 1_000) * 1_000 - 600_000).toUTCString())
  expect(Math.round((aheadMs() ?? 0) / 1_000 - 600)).toBeLessThanOrEqual(1)
  expect(aheadMs()).toBeGreaterThanOrEqual(599_500)
  for (const absent of [undefined, 'no date']) note(absent)
  expect(aheadMs()).toBeGreaterThanOrEqual(599_500)
})
