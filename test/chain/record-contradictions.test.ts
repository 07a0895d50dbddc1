// Which contradictions are stored, and that nobody waits for the store.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { recordingContradictions } from '../../src/chain/record-contradictions.ts'
import type { Contradiction, RecordedContradiction } from '../../src/domain/contradiction.ts'
import type { Hash } from '../../src/domain/ids.ts'
import { now } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'
import { manualClock } from '../support/manual-clock.ts'

const hourMs = 3_600_000
const hashOf = (digit: string): Hash => `0x${digit.repeat(64)}`

function about(number: number, answers: Contradiction['answers'] = []): Contradiction {
  const question = { block: { number, hash: hashOf('b') }, spender: hashOf('a') }
  return { condition: 'witnesses_contradict', question, answers }
}

function open(save: (contradiction: RecordedContradiction) => Promise<void> = async () => undefined) {
  const stored: RecordedContradiction[] = []
  const clock = manualClock()
  const memory = {
    async save(contradiction: RecordedContradiction) {
      await save(contradiction)
      stored.push(contradiction)
    },
  }
  const hosts = ['one.example', 'two.example']
  const recorder = recordingContradictions({ memory, hosts, clock, logger: quiet })
  return { ...recorder, clock, stored, numbers: () => stored.map(({ question }) => question.block?.number) }
}

test('a contradiction is stored with the time, the hosts, and answers that are cut off', async () => {
  const { note, stored } = open()
  const answers = [
    { endpoint: 1, answer: 'x'.repeat(5_000) },
    { endpoint: 7, answer: 'y' },
  ]
  note(about(5, answers))
  await turn()
  expect(stored).toEqual([
    {
      ...{ at: now, condition: 'witnesses_contradict', question: about(5).question },
      answers: [
        { endpoint: 1, host: 'two.example', answer: 'x'.repeat(1_024) },
        { endpoint: 7, host: '', answer: 'y' },
      ],
    },
  ])
})

test('the same contradiction is stored once an hour, whatever the answers are', async () => {
  const { note, numbers, clock } = open()
  const said = (answer: string) => about(5, [{ endpoint: 0, answer }])
  note(said('one'))
  note(said('two'))
  note(about(6))
  note(about(5, [{ endpoint: 1, answer: 'one' }]))
  clock.advance(hourMs - 1)
  note(said('three'))
  await turn()
  expect(numbers()).toEqual([5, 6, 5])
  clock.advance(1)
  note(said('four'))
  await turn()
  expect(numbers()).toEqual([5, 6, 5, 5])
})

test('a store that fails loses one, and the next is stored', async () => {
  let isDown = true
  const { note, numbers } = open(async () => {
    if (isDown) throw new Error('down')
  })
  note(about(1))
  await turn()
  isDown = false
  note(about(2))
  await turn()
  expect(numbers()).toEqual([2])
})

test('a slow store is given one at a time, and no more of them wait than it may take', async () => {
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const begun: (number | undefined)[] = []
  const { note, numbers } = open(async ({ question }) => {
    begun.push(question.block?.number)
    await slow
  })
  for (let number = 0; number < 50; number += 1) note(about(number))
  await turn()
  expect(begun).toEqual([0])
  release()
  await turn()
  expect(numbers()).toHaveLength(32)
  // A contradiction that was left out is stored when it shows again.
  note(about(49))
  await turn()
  expect(numbers().at(-1)).toBe(49)
})

test('at the end only the write under way is awaited', async () => {
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const { note, numbers, close } = open(() => slow)
  for (const number of [1, 2, 3]) note(about(number))
  await turn()
  const closing = close()
  release()
  await closing
  expect(numbers()).toEqual([1])
})
