// How long an endpoint rests after failures and lag, and what ends its rest.
import { expect, test } from 'vitest'
import {
  afterAnswer,
  afterFailure,
  afterLag,
  afterStray,
  type EndpointRest,
  isFit,
  rested,
} from '../../../src/chain/nodes/endpoint-rest.ts'

function failing(times: number, elapsedMs = 0): EndpointRest {
  let rest = rested
  for (let each = 0; each < times; each += 1) rest = afterFailure(rest, elapsedMs)
  return rest
}

test('each failure in a row doubles the rest, up to half a minute', () => {
  expect([1, 2, 3, 4].map((times) => failing(times, 1_000).until)).toEqual([1_250, 1_500, 2_000, 3_000])
  expect([8, 9, 2_000].map((times) => failing(times).until)).toEqual([30_000, 30_000, 30_000])
  expect(failing(3).failuresInRow).toBe(3)
})

test('one that failed is unfit even when its rest is over, until it answers', () => {
  const rest = failing(2)
  expect(isFit(rest, 60_000)).toBe(false)
  expect(isFit(afterAnswer(rest), 0)).toBe(true)
})

test('one that lags rests for so long, and an answer does not end that', () => {
  const rest = afterAnswer(afterLag(rested, 100, 400))
  expect([isFit(rest, 499), isFit(rest, 500)]).toEqual([false, true])
})

test('of a rest for failures and one for lag the later end counts', () => {
  expect(afterLag(failing(4), 0, 400).until).toBe(2_000)
  expect(afterLag(failing(1), 0, 400).until).toBe(400)
})

test('an answer after failures ends every rest: the node is there again', () => {
  expect(isFit(afterAnswer(afterLag(failing(1), 0, 400)), 0)).toBe(true)
})

test('one that answers about another thing rests as after a failure, and other answers do not end that', () => {
  const once = afterAnswer(afterFailure(afterStray(rested, 0), 0))
  expect([isFit(once, 249), isFit(once, 250)]).toEqual([false, true])
})

test('such answers in a row double the rest, and those within one rest count once', () => {
  const twice = afterStray(afterStray(afterStray(rested, 0), 100), 250)
  expect([isFit(twice, 749), isFit(twice, 750)]).toEqual([false, true])
  const muchLater = afterStray(twice, 70_000)
  expect([isFit(muchLater, 70_249), isFit(muchLater, 70_250)]).toEqual([false, true])
})
