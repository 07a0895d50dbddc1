// Lines of a log are read whole, wherever the pipe has cut them when somebody looks.
import { expect, test } from 'vitest'
import { linesFrom, placeIn } from './support/log-lines.ts'

const log = '{"n":1}\n{"n":2}\n{"n":3}\n'

test('at whatever moment somebody begins and ends to look, each line is read once, and whole', () => {
  for (let begun = 0; begun <= log.length; begun += 1) {
    for (let seen = begun; seen <= log.length; seen += 1) {
      const place = placeIn(log.slice(0, begun))
      const before = linesFrom(log.slice(0, begun), 0)
      const after = linesFrom(log.slice(0, seen), place)
      const numbers = [...before, ...after].map((line) => (JSON.parse(line) as { n: number }).n)
      expect(numbers).toEqual([1, 2, 3].slice(0, numbers.length))
      expect(numbers.length).toBe(log.slice(0, seen).split('\n').length - 1)
    }
  }
})
