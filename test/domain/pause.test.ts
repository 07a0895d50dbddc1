// Two pauses keep a relayer from new nonces: its own, and that of its network. Each has its words.
import { expect, test } from 'vitest'
import { isChange } from '../../src/domain/decide/plan/decision.ts'
import type { NetworkName } from '../../src/domain/ids.ts'
import { isPaused, pausedError, pauseFacts } from '../../src/domain/pause.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import { checkSend } from '../../src/domain/submit.ts'
import { checkSweep, startSweep } from '../../src/domain/sweep.ts'
import type { FactsOf } from '../../src/domain/wait-facts.ts'
import { sentenceOf } from '../../src/domain/wait-sentence.ts'
import { decideInWords as decide } from './in-words.ts'
import { now, queued, somePayload, someRelayer, someSituation } from './some.ts'

const network = 'sepolia' as NetworkName
const of = (paused: boolean, networkPaused: boolean): Relayer =>
  someRelayer({ network, paused, ...(networkPaused && { networkPaused }) })
const send = { ...somePayload, gasLimit: 21_000 }

test.each([
  [false, false, undefined],
  [true, false, 'relayer'],
  [false, true, 'network'],
  [true, true, 'both'],
] as const)('itself %s, its network %s', (own, whole, by) => {
  expect(isPaused(of(own, whole))).toBe(by !== undefined)
  if (by !== undefined) expect(pauseFacts(of(own, whole))).toEqual({ by, network })
})

test('a send is refused for either, with the words of the one that it is', () => {
  const refusal = (relayer: Relayer) => () => checkSend(relayer, send, now, undefined)
  expect(refusal(of(false, false))).not.toThrow()
  const { id } = of(true, false)
  expect(refusal(of(true, false))).toThrow(`relayer "${id}" is paused and takes no new transactions`)
  expect(refusal(of(false, true))).toThrow(`network "sepolia" is paused: relayer "${id}" takes no new transactions`)
  expect(refusal(of(true, true))).toThrow(`the relayer and network "sepolia" are paused: relayer "${id}" takes no`)
  expect(pausedError(of(false, true), 'signs nothing new')).toMatchObject({ code: 'RELAYER_PAUSED' })
})

test('what waits says which pause it is', () => {
  const words = (facts: FactsOf['paused']) => sentenceOf({ condition: 'paused', facts }, false)
  expect(words(pauseFacts(of(true, false)))).toBe('waits: the relayer is paused; unpause it, or cancel this')
  expect(words(pauseFacts(of(false, true)))).toBe('waits: network "sepolia" is paused; unpause it, or cancel this')
  expect(words(pauseFacts(of(true, true)))).toBe(
    'waits: the relayer and network "sepolia" are paused; unpause both, or cancel this',
  )
})

test('a queue gets no nonce while its network is paused, and a sweep does', () => {
  const relayer = of(false, true)
  const planOf = (work: object) => decide(someSituation({ relayer, ...work }))
  const plan = planOf({ queued: [queued(1), queued(2)] })
  expect(plan.decisions).toMatchObject([{ do: 'explain', condition: 'paused', facts: { by: 'network', network } }])
  expect(plan.conditions).toEqual(['paused'])

  const to = `0x${'9'.repeat(40)}` as const
  expect(() => checkSweep(relayer, { to }, now)).not.toThrow()
  const sweep = startSweep(relayer, { to, gasLimit: 21_000 }, { id: queued(1).id, sequence: 1, now })
  expect(planOf({ queued: [sweep] }).decisions.filter(isChange)).toMatchObject([{ do: 'assignNonce', nonce: 0 }])
})
