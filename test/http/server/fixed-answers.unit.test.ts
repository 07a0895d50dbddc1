// The interface fixes every answer of the two cancel operations: a rule about status and operation, for each code of the catalog.
import { expect, test } from 'vitest'
import { catalogue, type ErrorCode } from '../../../src/domain/errors.ts'
import { fixedAnswer } from '../../../src/http/server/errors.ts'

const codes = Object.keys(catalogue) as ErrorCode[]
const of = (matches: (status: number) => boolean) => codes.filter((code) => matches(catalogue[code].status))

for (const operationId of ['cancelTransaction', 'cancelPendingTransactions']) {
  test.each(of((status) => status === 400))(`${operationId} answers %s with Bad Request`, (code) => {
    expect(fixedAnswer(code, operationId)).toEqual({ status: 400, text: 'Bad Request' })
  })

  test.each(of((status) => status >= 500))(`${operationId} answers %s with 500`, (code) => {
    expect(fixedAnswer(code, operationId)).toEqual({ status: 500, text: 'Internal Server Error' })
  })
}

test.each(['replaceTransaction', 'deleteRelayer', undefined])("%s answers a 400 with the error's own message", (id) => {
  expect(fixedAnswer('TRANSACTION_ALREADY_MINED', id)).toEqual({ status: 400 })
  expect(fixedAnswer('STORAGE_KEY_MISSING', id)).toEqual({ status: 400 })
})
