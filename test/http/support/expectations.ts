// The two forms of an answer, to the letter.
import { expect } from 'vitest'
import type { Answer } from './serve.ts'

/** All five members and no other. */
export function expectSuccess(answer: Answer): void {
  expect(answer.status, answer.text).toBe(200)
  expect(Object.keys(answer.body)).toEqual(['data', 'error', 'metadata', 'pagination', 'success'])
  expect(answer.body.error).toBe('')
  expect(answer.body.success).toBe(true)
  expect(Object.keys(answer.body.metadata)).toEqual(['logs', 'traces'])
  expect(answer.body.metadata.traces).toEqual([])
  for (const entry of answer.body.metadata.logs) expect(entry).toEqual({ level: 'log', message: expect.any(String) })
  expect(Object.keys(answer.body.pagination)).toEqual(['current_page', 'per_page', 'total_items'])
  for (const count of Object.values(answer.body.pagination)) expect(Number.isInteger(count)).toBe(true)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['x-request-id']).toEqual(expect.any(String))
  expect(answer.text).not.toContain('null')
}

/** Exactly three members, as bytes, and the code in its header. */
export function expectFailure(answer: Answer, status: number, message: string, code: string): void {
  expect(answer.text).toBe(`{"data":null,"message":${JSON.stringify(message)},"success":false}`)
  expect(answer.status).toBe(status)
  expect(answer.headers['relayer-error-code']).toBe(code)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['x-request-id']).toEqual(expect.any(String))
}
