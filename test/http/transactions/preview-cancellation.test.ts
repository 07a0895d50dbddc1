// The previews while no node answers, while one answers too little, and at a replica whose file lacks the network.
import { expect, test } from 'vitest'
import { type Chain, ChainUnavailable } from '../../../src/chain/chain.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import { expectFailure, expectSuccess } from '../support/expectations.ts'
import { hashOf, putEveryPhase } from '../support/rows.ts'
import { serve } from '../support/serve.ts'

const unavailable = () => Promise.reject(new ChainUnavailable('https://node/secret-key does not answer'))
const withoutPrices = async (): Promise<Observation> => ({
  head: { number: 5, hash: hashOf(5), parentHash: hashOf(4), timestampMs: 0 },
  nonce: 0,
  rule: { measure: 'fields', percent: 10n },
  inclusions: new Map(),
  canonical: new Map(),
  estimates: new Map(),
})

test.each<[string, Partial<Chain> | undefined]>([
  ['no node answers', { observe: unavailable }],
  ['no node shows prices', { observe: withoutPrices }],
  ['the file of the replica has another network', undefined],
])('where %s, they have counts alone, and nothing of a URL', async (_, chain) => {
  await using server = await serve(chain && { chain })
  await putEveryPhase(server.store)
  const all = await server.ask('GET', '/api/v1/relayers/one/transactions/pending/cancellation-preview')
  expectSuccess(all)
  expect(all.body.data).toEqual({ free: 2, no_ops: 1, gaps: 0, racing: 0, too_late: 0 })
  expect(all.body.metadata.logs[0].message).toMatch(
    /^No node answers, .* 2 would end at once, at no cost; 1 need a no-op/,
  )
  expect(all.text).not.toContain('secret')
  const one = await server.ask('GET', '/api/v1/relayers/one/transactions/submitted/cancellation-preview')
  expect(one.body.data).toEqual({ free: 0, no_ops: 1, gaps: 0, racing: 0, too_late: 0 })
  const queued = await server.ask('GET', '/api/v1/relayers/one/transactions/queued/cancellation-preview')
  expect(queued.body.data).toEqual({ free: 1, no_ops: 0, gaps: 0, racing: 0, too_late: 0 })
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
  for (const id of ['none', '%00']) {
    const missing = await server.ask('GET', `/api/v1/relayers/one/transactions/${id}/cancellation-preview`)
    expectFailure(missing, 404, 'Not found', 'TRANSACTION_NOT_FOUND')
  }
})
