// A list is written in slices, and other requests have a turn between them.
import { Readable } from 'node:stream'
import { clearImmediate, setImmediate } from 'node:timers'
import { expect, test } from 'vitest'
import { sendList } from '../../../src/http/response/sliced-list.ts'

test('an answer of many slices leaves a turn of the event loop between any two of them', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const turnsOfReads: number[] = []
  const items = Array.from({ length: 5 }, (_, at) => ({
    bytes: 1024 * 1024,
    read: () => {
      turnsOfReads.push(turns)
      return Promise.resolve(at)
    },
  }))
  let written = ''
  const sent = await sendList({ type: () => ({ send: (content) => content }) }, items, (item) => item)
  if (!(sent instanceof Readable)) throw new Error('expected a stream')
  for await (const chunk of sent) written += String(chunk)
  clearImmediate(next)

  expect(JSON.parse(written)).toMatchObject({ success: true, data: [0, 1, 2, 3, 4] })
  expect(turnsOfReads).toHaveLength(items.length)
  expect(new Set(turnsOfReads).size).toBe(items.length)
})
