// Faults of the simulator's key service: they delay calls, and end when the faults do.
import { expect, test } from 'vitest'
import { type CustodyKind, withCustody } from '../../sim/process/custody.ts'
import { clockOf, openInstance } from '../../sim/process/instance.ts'
import { openTimeline } from '../../sim/timeline.ts'
import { KeyServiceError } from '../../src/signers/key-service.ts'
import { dice } from '../../tooling/dice.ts'
import { memoryKeyService } from '../../tooling/memory-key-service.ts'

const key = new Uint8Array(32).fill(0x46)
const unaborted = new AbortController().signal

/** What 60 digests got, one after the other, as far as each got anything. */
async function calls(kind: CustodyKind, isCalm: boolean) {
  const timeline = openTimeline()
  const instance = openInstance(1, () => undefined)
  const clock = clockOf(instance, timeline, 0, () => 0)
  const world = { kind, dice: dice(7, 'custody'), timeline, isCalm: () => isCalm, approvals: new Map() }
  const service = withCustody(memoryKeyService(key), world, instance, clock)
  const results: string[] = []
  let longestMs = 0
  for (let count = 0; count < 60; count += 1) {
    const begunMs = timeline.now()
    const digest = `0x${count.toString(16).padStart(64, '0')}` as const
    const calling = Promise.resolve(service.ready?.(unaborted)).then(() =>
      service.sign({ digest, preimage: '0x' }, unaborted),
    )
    let result: string | undefined
    calling.then(
      () => {
        result = 'signed'
      },
      (error: unknown) => {
        result = error instanceof KeyServiceError ? error.code : String(error)
      },
    )
    await timeline.rest()
    while (result === undefined && (await timeline.next())) await timeline.rest()
    if (result === undefined) throw new Error('nothing answers')
    results.push(result)
    longestMs = Math.max(longestMs, timeline.now() - begunMs)
    timeline.pass(timeline.now() + 500)
  }
  return { results: new Set(results), longestMs }
}

test.each<[CustodyKind, string]>([
  ['slowTokens', 'signed'],
  ['expiry', 'signed'],
  ['deadSession', 'CKR_SESSION_HANDLE_INVALID'],
  ['consensus', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
])('%s: holds calls up while there are faults, and none afterwards', async (kind, code) => {
  const faulty = await calls(kind, false)
  expect(faulty.results).toContain('signed')
  expect(faulty.results).toContain(code)
  if (kind === 'slowTokens') expect(faulty.longestMs).toBeGreaterThan(1_400)
  const calm = await calls(kind, true)
  expect([...calm.results]).toEqual(['signed'])
  expect(calm.longestMs).toBeLessThan(400)
})
