// Second estimates of a payload that one endpoint calls reverting: by another endpoint, or by none for long.
import { expect, test } from 'vitest'
import { readingSecondEstimates } from '../../../src/chain/fees/estimate-gas.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import type { Estimate, EstimateRequest } from '../../../src/domain/observation.ts'

const reverts: Estimate = { kind: 'reverts', reason: 'execution reverted' }
const gas: Estimate = { kind: 'gas', gas: 30_000 }
const request = {} as EstimateRequest

/** The estimates of the endpoints beside the first, which called the payload reverting. Undefined: no answer. */
function among(...others: (Estimate | undefined)[]) {
  let elapsed = 0
  const open = (): Endpoint =>
    ({ fit: () => true, ready: () => Promise.resolve(undefined) }) as Partial<Endpoint> as Endpoint
  const first = open()
  const answers = new Map(others.map((estimate) => [open(), estimate]))
  const endpoints = { order: () => [first, ...answers.keys()] } as Partial<Endpoints> as Endpoints
  const estimate = (endpoint: Endpoint) => Promise.resolve(answers.get(endpoint))
  const second = readingSecondEstimates(endpoints, estimate, { elapsed: () => elapsed })
  return {
    read: () => second(reverts, request, '0x1', first),
    wait: (ms: number) => {
      elapsed += ms
    },
  }
}

test('the first other endpoint that answers decides', async () => {
  expect(await among(undefined, gas, reverts).read()).toEqual(gas)
  expect(await among(reverts, gas).read()).toEqual(reverts)
})

test('without another endpoint the first estimate stands', async () => {
  expect(await among().read()).toEqual(reverts)
})

test('while the others are silent there is no estimate, for ten minutes', async () => {
  const endpoints = among(undefined)
  expect(await endpoints.read()).toBeUndefined()
  endpoints.wait(599_999)
  expect(await endpoints.read()).toBeUndefined()
  endpoints.wait(1)
  expect(await endpoints.read()).toEqual(reverts)
})
