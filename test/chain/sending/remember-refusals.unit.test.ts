// When bytes count as refused by every endpoint: what each of them said of them, at which heads, and what their pools show.
import { describe, expect, test } from 'vitest'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { rememberRefusals } from '../../../src/chain/sending/remember-refusals.ts'
import type { BroadcastOutcome } from '../../../src/domain/attempt.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { UnknownWordsInquiry } from '../../../src/domain/observation.ts'
import { somePayload } from '../../domain/some.ts'

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as Hash
const [payload, earlier] = [hashOf('1'), hashOf('2')]
const invalid: BroadcastOutcome = { kind: 'rejected', code: 'invalid', message: 'exceeds block gas limit' }
const tooLow: BroadcastOutcome = { kind: 'rejected', code: 'feeTooLow', message: 'underpriced' }
const odd: BroadcastOutcome = { kind: 'unknown', code: 'unrecognized', message: 'on hold' }
const silent: BroadcastOutcome = { kind: 'unknown', message: 'timed out' }
const unsent: BroadcastOutcome = { kind: 'unsent', message: 'no connection' }
const accepted: BroadcastOutcome = { kind: 'accepted' }

const first = { nonce: 7, payload: somePayload } satisfies Partial<UnknownWordsInquiry>

/** Each node shows nothing, unless a test has it show or answer otherwise. */
function memoryOver(nodes: number, blockMs = 2_000) {
  const views = Array.from({ length: nodes }, (): { shows: Hash | undefined; answer?: Answer } => ({
    shows: undefined,
  }))
  let calls = 0
  const endpoints = views.map((view, index) => {
    const call = async ({ params: [hash] }: Call): Promise<Answer> => {
      calls += 1
      return view.answer ?? { kind: 'value', value: view.shows === hash ? { hash } : null }
    }
    return { index, ready: async () => undefined, call } as unknown as Endpoint
  })
  let height: number | undefined = 100
  let elapsedMs = 0
  const memory = rememberRefusals(
    { usable: () => endpoints },
    () => height,
    () => elapsedMs + (height ?? 0) * blockMs,
  )
  return {
    views,
    calls: () => calls,
    at(block: number | undefined, ...said: readonly (BroadcastOutcome | undefined)[]) {
      height = block
      for (const [index, outcome] of said.entries()) {
        const by = endpoints[index]
        if (outcome && by) memory.learn(payload, by, outcome)
      }
    },
    clock(ms: number) {
      elapsedMs = ms
    },
    async unshown(ms: number) {
      elapsedMs = ms
      return (await memory.findUnshown({ ...first, newest: payload, live: [earlier, payload] })).get(earlier)
    },
    async words() {
      const found = await memory.findRefusedByAll([{ newest: payload, live: [earlier, payload] }])
      return found.get(payload)
    },
    memory,
    endpoints,
  }
}

describe('bytes are refused by all', () => {
  test('but not within 4 s, however many blocks a fast chain makes', async () => {
    const all = memoryOver(1, 200)
    all.at(100, invalid)
    all.at(119, invalid)
    expect(await all.words()).toBeUndefined()
    all.at(120, invalid)
    expect(await all.words()).toBeDefined()
  })

  test('once each endpoint has called them invalid twice, two blocks and 4 s apart', async () => {
    const all = memoryOver(3)
    all.at(100, invalid, invalid, invalid)
    all.at(101, invalid, invalid, invalid)
    expect(await all.words()).toBeUndefined()
    all.at(102, invalid, invalid)
    expect(await all.words(), 'the third has said it at 100 and 101').toBeUndefined()
    expect(all.calls(), 'before that, nothing is called').toBe(0)
    all.at(102, undefined, undefined, invalid)
    expect(await all.words()).toBe('exceeds block gas limit')
  })

  test('not while one of them says anything else', async () => {
    for (const other of [accepted, tooLow, odd]) {
      const all = memoryOver(2)
      all.at(100, invalid, other)
      all.at(104, invalid, other)
      expect(await all.words()).toBeUndefined()
      all.at(105, invalid, invalid)
      all.at(108, invalid, other)
      expect(await all.words()).toBeUndefined()
      all.at(109, invalid, invalid)
      all.at(110, invalid, invalid)
      expect(await all.words(), 'a run begins anew').toBeUndefined()
      all.at(111, invalid, invalid)
      expect(await all.words()).toBeDefined()
    }
  })

  test('whatever an endpoint said that gives no answer any more', async () => {
    for (const nothing of [silent, unsent]) {
      const all = memoryOver(3)
      all.at(100, invalid, invalid, odd)
      all.at(102, invalid, nothing, nothing)
      expect(await all.words()).toBeDefined()
      all.at(104, invalid, invalid, nothing)
      expect(await all.words(), 'back, it has said it once').toBeUndefined()
      all.at(106, nothing, invalid, nothing)
      expect(await all.words(), 'a repeated refusal stays').toBeDefined()
    }
    const alone = memoryOver(1)
    alone.at(100, silent)
    alone.at(110, silent)
    expect(await alone.words(), 'silence is no word').toBeUndefined()
  })

  test('not while an endpoint shows any of its attempts, nor while none answers', async () => {
    const all = memoryOver(2)
    all.at(100, invalid, invalid)
    all.at(102, invalid, invalid)
    for (const shown of [payload, earlier]) {
      Object.assign(all.views[1] ?? {}, { shows: shown })
      all.at(shown === payload ? 103 : 104)
      expect(await all.words()).toBeUndefined()
    }
    Object.assign(all.views[1] ?? {}, { shows: undefined })
    expect(await all.words(), 'called once at a head').toBeUndefined()
    for (const view of all.views) view.answer = { kind: 'unknown', message: 'timed out' }
    all.at(105)
    expect(await all.words()).toBeUndefined()
    all.views[0] = Object.assign(all.views[0] ?? { shows: undefined }, { answer: undefined })
    all.at(106)
    expect(await all.words()).toBeDefined()
    const before = all.calls()
    await all.words()
    expect(all.calls()).toBe(before)
  })

  test('by remembered heads, and by none above the head', async () => {
    const all = memoryOver(1)
    all.at(undefined, invalid)
    all.at(102, invalid)
    expect(await all.words()).toBeUndefined()
    all.at(90, invalid)
    all.at(91, invalid)
    expect(await all.words(), 'a chain that was reset').toBeUndefined()
    all.at(92, invalid)
    expect(await all.words()).toBeDefined()
  })

  test('within a bounded memory, which forgets the oldest', async () => {
    const all = memoryOver(1)
    const [by] = all.endpoints
    if (!by) throw new Error('no endpoint')
    all.at(100, invalid)
    all.at(102, invalid)
    for (let other = 0; other < 1_000; other += 1) all.memory.learn(`0x${other.toString(16)}`, by, invalid)
    expect(await all.words()).toBeUndefined()
  })
})

describe('a payload that no endpoint shows', () => {
  test('is unshown since the first look, with the last acceptance of other bytes', async () => {
    const all = memoryOver(2)
    expect(await all.unshown(1_000)).toEqual({ forMs: 0 })
    expect(await all.unshown(9_000)).toEqual({ forMs: 8_000 })
    all.at(100, accepted)
    expect(await all.unshown(10_000), 'its own bytes').toEqual({ forMs: 9_000 })
    const [by] = all.endpoints
    if (by) all.memory.learn(hashOf('9'), by, accepted)
    expect(await all.unshown(12_000)).toEqual({ forMs: 11_000, otherAcceptedMsAgo: 2_000 })
  })

  test('is looked for every five seconds, and begins anew once an endpoint has shown it, or none answered', async () => {
    const all = memoryOver(1)
    const [view] = all.views
    if (!view) throw new Error('no node')
    await all.unshown(0)
    view.shows = payload
    expect(await all.unshown(4_999), 'no look').toEqual({ forMs: 4_999 })
    expect(await all.unshown(5_000)).toBeUndefined()
    view.shows = undefined
    expect(await all.unshown(10_000)).toEqual({ forMs: 0 })
    view.answer = { kind: 'unknown', message: 'timed out' }
    expect(await all.unshown(15_000)).toBeUndefined()
  })
})

describe('a payload that all refuse in unknown words at a second nonce', () => {
  const [second, noOp] = [hashOf('8'), hashOf('9')]
  const worded = (message: string): BroadcastOutcome => ({ kind: 'unknown', code: 'unrecognized', message })
  const firstWords = worded('policy 7: transfer 0xAB12 is on hold (-32000)')
  const likeWords = worded('Policy 8: transfer 0x99 is on hold (-32000)')

  /** Two minutes of refusals at nonce 7, then a no-op that is accepted. */
  async function afterFirst(...said: readonly BroadcastOutcome[]) {
    const all = memoryOver(2)
    all.at(100, ...said)
    await all.unshown(0)
    await all.unshown(120_000)
    all.clock(121_000)
    const [by] = all.endpoints
    if (by) all.memory.learn(noOp, by, accepted)
    const again = async (ms: number, changes: Partial<UnknownWordsInquiry>, ...words: readonly BroadcastOutcome[]) => {
      all.clock(ms)
      for (const [index, outcome] of words.entries()) {
        const endpoint = all.endpoints[index]
        if (endpoint) all.memory.learn(second, endpoint, outcome)
      }
      const requested = { ...first, nonce: 8, newest: second, live: [second], ...changes }
      return (await all.memory.findUnshown(requested)).get(second)
    }
    return { ...all, again }
  }

  test('has been refused for as long before, in like words, and still at the third nonce', async () => {
    const { again } = await afterFirst(firstWords, firstWords)
    const before = { otherAcceptedMsAgo: 9_000, refusedBeforeMs: 120_000 }
    expect(await again(130_000, {}, likeWords, firstWords)).toEqual({ forMs: 0, ...before })
    expect(await again(131_000, {}), 'looked at again').toMatchObject({ refusedBeforeMs: 120_000 })
    expect(await again(140_000, { nonce: 9 })).toMatchObject({ refusedBeforeMs: 120_000 })
  })

  test('is new where no endpoint has accepted other bytes since', async () => {
    const all = await afterFirst(firstWords, firstWords)
    await all.unshown(122_000)
    expect(await all.again(130_000, {}, likeWords, likeWords)).not.toHaveProperty('refusedBeforeMs')
  })

  test('is new where an endpoint showed it meanwhile', async () => {
    const { again, unshown, views } = await afterFirst(firstWords, firstWords)
    Object.assign(views[0] ?? {}, { shows: payload })
    expect(await unshown(126_000)).toBeUndefined()
    expect(await again(130_000, {}, likeWords, likeWords)).not.toHaveProperty('refusedBeforeMs')
  })

  test.each([
    ['at the same nonce', { nonce: 7 }, [likeWords, likeWords]],
    ['of another payload', { payload: { ...somePayload, value: 77n } }, [likeWords, likeWords]],
    ['where one endpoint has other words', {}, [likeWords, worded('rate limited')]],
    ['where one endpoint knows why', {}, [likeWords, invalid]],
    ['where no endpoint says anything', {}, [silent, silent]],
  ])('is new %s', async (_, changes, words) => {
    const { again } = await afterFirst(firstWords, firstWords)
    expect(await again(130_000, changes, ...words)).toEqual({ forMs: 0, otherAcceptedMsAgo: 9_000 })
  })

  test('is new where not all endpoints refused it in unknown words before', async () => {
    const { again } = await afterFirst(firstWords, tooLow)
    expect(await again(130_000, {}, likeWords, likeWords)).not.toHaveProperty('refusedBeforeMs')
  })
})

test('the least gas limit that was refused while less was taken is kept for an hour', () => {
  const { clock, memory } = memoryOver(1)
  const at = (ms: number, shown?: number) => {
    clock(ms)
    return memory.refusedGas(shown).refusedGas
  }
  expect([at(0), at(0, 900), at(1_000, 800), at(2_000, 850)]).toEqual([undefined, 900, 800, 800])
  expect([at(3_600_999), at(3_601_000), at(3_601_000, 850)]).toEqual([800, undefined, 850])
})
