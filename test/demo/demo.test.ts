// The demo as a user runs it: a process whose exit code and printed table are compared with the expected ones.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const demo = fileURLToPath(new URL('../../demo/main.ts', import.meta.url))

test('ends with 0, and its table names the verdict, the nonce and the spender of every payment', async () => {
  const child = spawn(process.execPath, [demo], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 280_000 })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  const [code] = await once(child, 'close')

  expect(rowsOf(output), output).toEqual([
    ['payouts 1', 'executed', '0', 'free', 'agrees', 'payment'],
    ['payouts 2', 'won', '1', 'paid', 'agrees', 'no-op'],
    ['payouts 3', 'executed', '2', 'free', 'agrees', 'payment'],
    ['payouts 4', 'dropped', '-', 'free', 'agrees', '-'],
    ['payouts 5', 'executed', '3', 'free', 'agrees', 'payment'],
    ['payouts 6', 'lost', '4', 'free', 'agrees', 'payment'],
    ['payouts 7', 'executed', '5', 'free', 'agrees', 'payment'],
    ['treasury 1', 'won', '0', 'paid', 'agrees', 'no-op'],
    ['treasury 2', 'won', '1', 'paid', 'agrees', 'no-op'],
    ['treasury 3', 'won', '2', 'paid', 'agrees', 'no-op'],
    ['treasury 4', 'dropped', '-', 'free', 'agrees', '-'],
    ['treasury 5', 'dropped', '-', 'free', 'agrees', '-'],
    ['treasury 6', 'executed', '3', 'free', 'agrees', 'payment'],
  ])
  expect(code, output).toBe(0)
})

/** The table's rows, with the cost as `free` or `paid` and without the hashes, which differ from run to run. */
function rowsOf(output: string): string[][] {
  const lines = output.split('\n').filter((line) => /^ {2}(payouts|treasury) \d+ {2}/.test(line))
  return lines.map((line) => {
    const [label = '', verdict = '', nonce = '', cost = '', chain = '', spender = ''] = line.trim().split(/ {2,}/)
    return [label, verdict, nonce, cost === '0' ? 'free' : 'paid', chain, spender.replace(/^0x[0-9a-f]{64} /, '')]
  })
}
