// The bell: no ring is lost between two waits, many rings are one, and an end of waiting is no ring.
import { expect, test } from 'vitest'
import { bell } from '../../src/ops/bell.ts'

/** Whether it has resolved once every promise that could resolve without a further event has. */
async function isDone(wait: Promise<void>): Promise<boolean> {
  let done = false
  wait.then(() => {
    done = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return done
}

const never = new AbortController().signal

test('a ring wakes who waits', async () => {
  const wakes = bell()
  const wait = wakes.wait(never)
  expect(await isDone(wait)).toBe(false)
  wakes.ring()
  expect(await isDone(wait)).toBe(true)
})

test('rings while nobody waits are one ring for the next waiter', async () => {
  const wakes = bell()
  wakes.ring()
  wakes.ring()
  expect(await isDone(wakes.wait(never))).toBe(true)
  expect(await isDone(wakes.wait(never))).toBe(false)
})

test('an abort ends the wait, and the ring after it is kept', async () => {
  const wakes = bell()
  const end = new AbortController()
  const wait = wakes.wait(end.signal)
  end.abort()
  expect(await isDone(wait)).toBe(true)
  expect(await isDone(wakes.wait(end.signal))).toBe(true)
  wakes.ring()
  expect(await isDone(wakes.wait(never))).toBe(true)
})
