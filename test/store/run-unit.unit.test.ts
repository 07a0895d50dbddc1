// Which failures of a group are run again, and how often.
import { expect, test } from 'vitest'
import { howAgain, runSavedUnit, runUnit } from '../../src/store/postgres/run-unit.ts'

const withCode = (code: string) => Object.assign(new Error('as the driver says it'), { code })
const own = new Error('a rule of ours')

test('what a unit breaks costs the others nothing: all run again, each with a savepoint, and once', () => {
  for (const error of [own, withCode('23505')]) {
    expect(howAgain(error, runUnit, 1)).toBe(runSavedUnit)
    expect(howAgain(error, runSavedUnit, 2)).toBeUndefined()
  }
})

test('a transaction that the server gave up is run sixteen times', () => {
  for (const error of [withCode('40P01'), withCode('40001')]) {
    expect(howAgain(error, runUnit, 1)).toBe(runSavedUnit)
    expect(howAgain(error, runSavedUnit, 15)).toBe(runSavedUnit)
    expect(howAgain(error, runSavedUnit, 16)).toBeUndefined()
  }
})

test('a failure of the whole database is not run again', () => {
  for (const error of [withCode('53100'), withCode('57P01')]) {
    expect(howAgain(error, runUnit, 1)).toBeUndefined()
  }
})
