// Estimates of a payload by two providers, and a third where they differ.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { believingEstimates } from '../../../src/chain/fees/believe-estimates.ts'
import type { TrackedHead } from '../../../src/chain/heads/track-head.ts'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import type { TransactionId } from '../../../src/domain/ids.ts'
import type { EstimateRequest } from '../../../src/domain/observation.ts'
import type { NetworkProfile } from '../../../src/domain/profile.ts'

const gas = (units: number): Answer => ({ kind: 'value', value: `0x${units.toString(16)}` })
const error = (message: string, code = -32000): Answer => ({ kind: 'rpcError', code, message })
const reverts = error('execution reverted: closed', 3)
const silent: Answer = { kind: 'unknown', message: 'no answer' }
const transactionId = 't1' as TransactionId
const request: EstimateRequest = { transactionId, from: '0xa', to: '0xb', value: 0n, data: '0x01' }

type Node = Answer | ((call: Call) => Answer)

/** Endpoints of one provider each; the first is the one that was read first. */
function among(nodes: readonly Node[], { charges = 'gas_used' }: Partial<Pick<NetworkProfile, 'charges'>> = {}) {
  let elapsed = 0
  let height = 0
  const saying = [...nodes]
  const calls: Call[][] = nodes.map(() => [])
  const all = nodes.map((_, index): Endpoint => {
    const call = async (sent: Call): Promise<Answer> => {
      calls[index]?.push(sent)
      const node = saying[index] ?? silent
      return typeof node === 'function' ? node(sent) : node
    }
    const endpoint = { provider: String(index), fit: () => true, ready: async () => undefined, call }
    return endpoint as Partial<Endpoint> as Endpoint
  })
  const estimates = believingEstimates({
    endpoints: { order: () => all } as Partial<Endpoints> as Endpoints,
    providers: nodes.length,
    profile: { charges, floorGas: false, priceSource: 'fee_history' },
    limits: { figures: () => ({}), most: () => undefined },
    clock: { elapsed: () => elapsed },
  })
  const at = () => ({ head: { number: height, hash: `0x${height}` }, by: all[0] }) as unknown as TrackedHead
  return {
    calls,
    say: (index: number, node: Node) => {
      saying[index] = node
    },
    wait: (ms: number) => {
      elapsed += ms
      height += 1
    },
    read: async () => (await estimates.read([request], at())).get(transactionId),
    settle: async (minedIn?: number) =>
      (await estimates.settle([request], await estimates.read([request], at()), at(), minedIn)).get(transactionId),
  }
}

describe('gas', () => {
  test('of two within a quarter the higher counts, with the margin, and no third one is asked', async () => {
    const endpoints = among([gas(40_000), gas(50_000), gas(1)])
    expect(await endpoints.read()).toEqual({ kind: 'gas', gas: 60_000, bare: 50_000 })
    expect(endpoints.calls.map((each) => each.length)).toEqual([1, 1, 0])
  })

  test.each([29_000_000, 25_000])('%d, where two others estimate 43,249, is not signed', async (false_) => {
    for (const place of [0, 1, 2]) {
      const nodes = [gas(43_249), gas(43_300), gas(43_249)]
      nodes[place] = gas(false_)
      const estimate = await among(nodes).read()
      expect(estimate).toMatchObject({ kind: 'gas', gas: expect.toSatisfy((units) => units >= 43_249 * 1.2) })
      expect(estimate).toMatchObject({ gas: expect.toSatisfy((units) => units <= 43_300 * 1.5) })
    }
  })

  test('of two that differ the higher counts where used gas is charged, and both are named', async () => {
    expect(await among([gas(1_000_000), gas(40_000)]).read()).toEqual({
      kind: 'gas',
      gas: 1_200_000,
      bare: 1_000_000,
      lower: 48_000,
    })
    expect(await among([gas(40_000), gas(1_000_000)]).read()).toEqual({
      kind: 'gas',
      gas: 1_200_000,
      bare: 1_000_000,
      lower: 48_000,
    })
  })

  test('of two that differ none counts where the limit is charged', async () => {
    const charged = among([gas(29_000_000), gas(40_000)], { charges: 'gas_limit' })
    expect(await charged.read()).toEqual({ kind: 'differ', lower: 40_000, higher: 29_000_000 })
    expect(await among([gas(29_000_000), reverts], { charges: 'gas_limit' }).read()).toBeUndefined()
    expect(await among([gas(29_000_000), gas(40_000), gas(40_000)], { charges: 'gas_limit' }).read()).toEqual({
      kind: 'gas',
      gas: 40_000,
    })
  })

  test('without an answer of others the word of one counts', async () => {
    expect(await among([gas(40_000), silent, silent]).read()).toEqual({ kind: 'gas', gas: 48_000, bare: 40_000 })
    expect(await among([silent, gas(40_000)]).read()).toEqual({ kind: 'gas', gas: 48_000, bare: 40_000 })
  })

  test('the word of one counts after ten minutes where the limit is charged', async () => {
    const endpoints = among([gas(29_000_000), silent], { charges: 'gas_limit' })
    expect(await endpoints.read()).toBeUndefined()
    endpoints.wait(600_000)
    expect(await endpoints.read()).toEqual({ kind: 'gas', gas: 29_000_000 })
    expect(await among([gas(40_000)], { charges: 'gas_limit' }).read()).toEqual({ kind: 'gas', gas: 40_000 })
  })

  test('it is read once a head', async () => {
    const endpoints = among([gas(40_000), gas(40_000)])
    await endpoints.read()
    await endpoints.read()
    expect(endpoints.calls.map((each) => each.length)).toEqual([1, 1])
    endpoints.wait(12_000)
    await endpoints.read()
    expect(endpoints.calls.map((each) => each.length)).toEqual([2, 2])
  })
})

describe('reverts', () => {
  const reverting = { kind: 'reverts', reason: 'execution reverted: closed' }

  test('by two, or by the only provider, count', async () => {
    expect(await among([reverts, reverts, gas(40_000)]).read()).toEqual(reverting)
    expect(await among([reverts]).read()).toEqual(reverting)
  })

  test('by one of two, or of three, end nothing', async () => {
    expect(await among([reverts, gas(40_000)]).read()).toEqual({ kind: 'gas', gas: 48_000, bare: 40_000 })
    expect(await among([gas(40_000), reverts, gas(40_000)]).read()).toEqual({ kind: 'gas', gas: 48_000, bare: 40_000 })
  })

  test('while the others are silent there is no estimate, for ten minutes', async () => {
    const endpoints = among([reverts, silent])
    expect(await endpoints.read()).toBeUndefined()
    endpoints.wait(599_999)
    expect(await endpoints.read()).toBeUndefined()
    endpoints.wait(1)
    expect(await endpoints.read()).toEqual(reverting)
  })

  test.each([reverts, gas(40_000)])(
    'an answer ends the silence, and the next one lasts for ten minutes, too',
    async (answer) => {
      const endpoints = among([reverts, silent])
      await endpoints.read()
      endpoints.wait(599_999)
      endpoints.say(1, answer)
      expect(await endpoints.read()).toBeDefined()
      endpoints.say(1, silent)
      for (const waited of [1, 599_999]) {
        endpoints.wait(waited)
        expect(await endpoints.read()).toBeUndefined()
      }
      endpoints.wait(1)
      expect(await endpoints.read()).toEqual(reverting)
    },
  )

  test('soon after a block with a transaction of the account, the state at its end is asked for', async () => {
    // A backend that lags, as of its newest block, and one that has the block.
    const behind = ({ params }: Call) => (params.length > 1 ? error('header not found') : reverts)
    const endpoints = among([behind])
    expect(await endpoints.settle(7)).toBeUndefined()
    expect(endpoints.calls[0]?.at(-1)?.params[1]).toBe('0x7')
    endpoints.say(0, ({ params }) => (params.length > 1 ? gas(40_000) : reverts))
    expect(await endpoints.settle()).toEqual({ kind: 'gas', gas: 48_000, bare: 40_000 })
    endpoints.say(0, reverts)
    expect(await endpoints.settle()).toEqual(reverting)
    endpoints.say(0, behind)
    endpoints.wait(15_000)
    expect(await endpoints.settle()).toEqual(reverting)
  })
})

describe('failures in words of no table', () => {
  const jump = error('EVM error InvalidJump', -32603)
  const failing = (isLasting: boolean) => ({ kind: 'fails', reason: 'EVM error InvalidJump', isLasting })

  test('last after three readings in like words over a minute', async () => {
    const endpoints = among([jump, error('invalid jump destination')])
    expect(await endpoints.read()).toEqual(failing(false))
    endpoints.wait(60_000)
    expect(await endpoints.read()).toEqual(failing(false))
    expect(await endpoints.read()).toEqual(failing(true))
  })

  test('begin anew after other words, and after an estimate', async () => {
    const endpoints = among([error('bad thing 0x12 at 7')])
    const isLasting = async () => {
      const estimate = await endpoints.read()
      endpoints.wait(30_000)
      return estimate?.kind === 'fails' && estimate.isLasting
    }
    for (const next of [error('bad thing 0x34 at 8'), error('worse thing'), gas(40_000), error('worse thing')]) {
      await isLasting()
      endpoints.say(0, next)
    }
    expect([await isLasting(), await isLasting(), await isLasting()]).toEqual([false, false, true])
  })

  test.each([
    'execution aborted (timeout = 5s)',
    'header not found',
    'missing trie node 12ab (path )',
    'insufficient funds for gas * price + value',
    'nonce too low',
    'max fee per gas less than block base fee',
    'Too many requests, reason: call rate limit',
    'the method is not available',
    'Internal error',
  ])('"%s" is none', async (message) => {
    expect(await among([error(message), error(message)]).read()).toBeUndefined()
  })

  const ownCodes = [-32700, -32600, -32601, -32005, -32016, -32029, 429]

  test.each(ownCodes)('code %d is none', async (code) => {
    expect(await among([error('no', code)]).read()).toBeUndefined()
  })

  test('last, whatever they say, once they are no words of the tables', async () => {
    const words = fc.constantFrom('', 'bad jump', 'stack underflow (0 <=> 1)', 'EVM error', 'out of memory', 'no', '…')
    const codes = fc.integer({ min: -32_100, max: 100 }).filter((code) => code !== 3 && !ownCodes.includes(code))
    await fc.assert(
      fc.asyncProperty(words, words, codes, fc.array(fc.nat(), { maxLength: 3 }), async (one, other, code, figures) => {
        const endpoints = among([
          () => error(`${one} ${figures.pop() ?? ''}`, code),
          () => error(`${other} 0x${(figures.pop() ?? 0).toString(16)}`, code),
        ])
        let estimate = await endpoints.read()
        for (let reading = 0; reading < 3; reading += 1) {
          endpoints.wait(20_000)
          estimate = await endpoints.read()
        }
        expect(estimate).toMatchObject({ kind: 'fails', isLasting: true })
      }),
    )
  })

  test('by one of two count no more than a revert', async () => {
    expect(await among([jump, gas(40_000)]).read()).toEqual({ kind: 'gas', gas: 48_000, bare: 40_000 })
    expect(await among([jump, silent]).read()).toBeUndefined()
  })
})
