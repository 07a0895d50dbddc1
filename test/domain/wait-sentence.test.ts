// Each condition has a sentence for people, with its figures; rows and events are decided by the condition and the facts alone.
import { expect, test } from 'vitest'
import { conditions } from '../../src/domain/condition.ts'
import { timeInWords } from '../../src/domain/hold.ts'
import { inEther, inGwei } from '../../src/domain/shown-amount.ts'
import { isSameReason } from '../../src/domain/wait.ts'
import type { Reason } from '../../src/domain/wait-facts.ts'
import { sentenceOf, sentenceOfNext } from '../../src/domain/wait-sentence.ts'
import { ether } from './some.ts'
import { someReasons } from './some-reasons.ts'

/** Facts that choose the words. */
const choosing = [
  'of',
  'by',
  'kind',
  'until',
  'fact',
  'mode',
  'tag',
  'isNamed',
  'isPermanent',
  'hasRoom',
  'paysL1',
  'returns',
]

/** The figures of facts, each as the sentence may write it. */
function figuresOf(facts: object): readonly (readonly string[])[] {
  return Object.entries(facts).flatMap(([name, fact]): readonly (readonly string[])[] => {
    if (typeof fact === 'bigint') return [[inEther(fact), inGwei(fact)]]
    // An account that delegates gains nothing by waiting for blocks.
    if (name === 'lagBlocks') return [[String(fact), 'end the delegation']]
    // A pause of the relayer alone is not its network's.
    if (name === 'network') return [[String(fact), 'the relayer is paused']]
    if (typeof fact === 'number') return [[String(fact), timeInWords(fact)]]
    if (typeof fact === 'object') return figuresOf(fact)
    return choosing.includes(name) ? [] : [[String(fact)]]
  })
}

test.each(someReasons)('the sentence of $condition has its figures $facts', (reason) => {
  const text = sentenceOf(reason, false)
  for (const ways of figuresOf(reason.facts))
    expect(
      ways.filter((way) => text.includes(way)),
      `${ways[0]}: ${text}`,
    ).not.toEqual([])
  expect(sentenceOf(reason, true).startsWith('canceled; ')).toBe(text.startsWith('waits: '))
  expect(sentenceOfNext(reason).startsWith('the next send would wait: ')).toBe(text.startsWith('waits: '))
})

test('every condition of a transaction has a sentence', () => {
  const worded = new Set<string>(someReasons.map(({ condition }) => condition))
  // A foreign transaction in the place of ours shows by its hash.
  expect(conditions.filter((condition) => !worded.has(condition))).toEqual(['nonce_taken'])
})

test('two reasons are the same if their figures hardly differ', () => {
  const at = (balance: bigint): Reason => ({
    condition: 'balance_below_minimum',
    facts: { balance, minBalance: 9n * ether },
  })
  expect(isSameReason(at(ether), at(ether + 1n))).toBe(true)
  expect(isSameReason(at(ether), at(ether - 1n))).toBe(true)
  expect(isSameReason(at(ether), at(ether + ether / 1_000n))).toBe(false)
  expect([isSameReason(at(0n), at(0n)), isSameReason(at(0n), at(1n))]).toEqual([true, false])
  for (const [place, one] of someReasons.entries())
    expect(someReasons.findIndex((other) => isSameReason(one, other))).toBe(place)
})
