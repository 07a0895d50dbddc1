// The log on a pipe whose reader stands still, goes, and comes back: nothing waits for it, and each line that is there is whole.
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/ops/clock.ts'
import { openLogOutput } from '../../src/ops/log-output.ts'

async function openPipe() {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-pipe-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const reader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const first = reader()
  const fd = openSync(path, constants.O_WRONLY)
  const counts = { lost: 0, written: 0, lostBefore: [] as number[] }
  const output = openLogOutput(fd, systemClock, {
    lost() {
      counts.lost += 1
    },
    written(before) {
      counts.written += 1
      if (before > 0) counts.lostBefore.push(before)
    },
  })
  return {
    ...{ output, counts, first, reader },
    async [Symbol.asyncDispose]() {
      closeSync(fd)
      await rm(folder, { recursive: true })
    },
  }
}

/** All that is in the pipe now. */
function readAll(fd: number): string {
  const bytes = Buffer.alloc(2 ** 20)
  let text = ''
  while (true) {
    try {
      const count = readSync(fd, bytes)
      if (count === 0) return text
      text += bytes.toString('utf8', 0, count)
    } catch {
      // Empty.
      return text
    }
  }
}

const line = (number: number) => `${JSON.stringify({ number, text: 'x'.repeat(1_000) })}\n`

test('lines wait for a reader that stands still, in their order, and later ones are lost', async () => {
  await using pipe = await openPipe()
  const { output, counts, first } = pipe
  const sent = 8_000
  for (let number = 0; number < sent; number++) output.write(line(number))
  expect(counts.lost).toBeGreaterThan(0)
  const kept = sent - counts.lost
  let text = ''
  while (counts.written < kept) {
    text += readAll(first)
    await systemClock.sleep(5)
  }
  await output.drained(60_000)
  text += readAll(first)
  const numbers = text
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each).number as number)
  expect(numbers).toEqual(Array.from({ length: kept }, (_, number) => number))
  output.write(line(sent))
  expect(readAll(first)).toBe(line(sent))
})

test('the rest of a line is lost with its reader, and the next line begins anew', async () => {
  await using pipe = await openPipe()
  const { output, counts, first, reader } = pipe
  const long = `${JSON.stringify({ text: 'y'.repeat(100_000) })}\n`
  output.write(long)
  expect(counts).toMatchObject({ lost: 0, written: 0 })
  closeSync(first)
  while (counts.lost === 0) await systemClock.sleep(5)
  const second = reader()
  const half = readAll(second)
  expect([half.length > 0, long.startsWith(half)]).toEqual([true, true])
  output.write(line(1))
  expect(readAll(second)).toBe(`\n${line(1)}`)
  expect(counts).toEqual({ lost: 1, written: 1, lostBefore: [1] })
  closeSync(second)
})
