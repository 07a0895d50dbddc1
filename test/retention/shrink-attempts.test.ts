// The attempts of ended transactions shrink in the background: each GET answers as before, and a crash between two shares
// loses nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ops/clock.ts'
import { shrinkAttempts } from '../../src/retention/shrink-attempts.ts'
import { at, attempt, inclusion, put, putEveryPhase, transaction } from '../http/support/rows.ts'
import { type Serving, serve } from '../http/support/serve.ts'
import type { StoreUnderTest } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'
import { openTestedStore } from '../support/open-tested-store.ts'

const [one, two] = ['one' as RelayerId, 'two' as RelayerId]
const everyMs = 60_000
let under: StoreUnderTest
let server: Serving
beforeAll(async () => {
  server = await serve({
    async open() {
      under = await openTestedStore(quiet)
      return under
    },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

/** Ends with the round or, as if the process died, after so many shares. */
async function shrink(shares = Number.POSITIVE_INFINITY): Promise<void> {
  let made = 0
  let isOver = () => {}
  const over = new Promise<void>((resolve) => {
    isOver = resolve
  })
  const clock: Clock = {
    ...{ now: () => 0, elapsed: () => 0, afterThis: setImmediate },
    async sleep(ms, signal) {
      if (signal?.aborted) return
      if (ms < everyMs) made += 1
      if (ms < everyMs && made < shares) return
      isOver()
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  }
  const pace = { rowsAtOnce: 2, everyMs }
  await using _ = shrinkAttempts({ store: server.store, clock, logger: quiet, pace })
  await over
}

const withBytes = async () => {
  const rows = await under.query<{ id: string }>("SELECT DISTINCT transaction_id AS id FROM attempts WHERE raw <> ''")
  return rows.map(({ id }) => id).toSorted()
}

test('every GET answers as before, also when the process dies between two portions', async () => {
  await putEveryPhase(server.store)
  const nonces = [0, 1, 2, 3, 4]
  for (const nonce of nonces) {
    const id = `two-${nonce}` as TransactionId
    const [own, noOp] = [attempt(id, 0x9000 + nonce, 'execute', nonce), attempt(id, 0x9100 + nonce, 'cancel', nonce)]
    // As a node may have written it, if it was recovered from the chain.
    const signature = nonce === 1 ? { ...own.signature, r: `0x${'AB'.repeat(32)}` as const } : own.signature
    const ended = {
      phase: 'final',
      nonce,
      attempts: [{ ...own, signature }, noOp],
      inclusion: inclusion(noOp),
      finalAt: at,
      witnesses: 1,
    } as const
    const cancellation = { origin: 'request', requestedAt: at } as const
    await put(server.store, transaction(id, ended, { relayerId: two, cancellation }))
  }
  for (const relayer of [one, two]) {
    const floor = { spentBelow: 9, explainedBelow: 9 }
    await server.store.commit((session) => session.raiseFloor(relayer, floor), relayer)
  }
  const ofOne = ['confirmed', 'failed', 'mined', 'submitted', 'sent', 'queued', 'expired']
  const paths = [
    ...ofOne.map((id) => `one/transactions/${id}`),
    ...nonces.map((nonce) => `two/transactions/two-${nonce}`),
  ]
    .flatMap((path) => [path, `${path}/attempts`, `${path}/cancellation`])
    .concat(['one/transactions/', 'two/transactions/?status=canceled', 'two/transactions/by-nonce/3'])
  const read = () =>
    Promise.all(paths.map(async (path) => [path, (await server.ask('GET', `/api/v1/relayers/${path}`)).text]))
  const before = await read()
  expect(before.filter(([, text]) => text?.includes('"state":"won"'))).toHaveLength(nonces.length)

  const open = ['mined', 'sent', 'submitted']
  const ofTwo = nonces.map((nonce) => `two-${nonce}`)
  // A share of each relayer, and the second of one of them.
  await shrink(3)
  const left = await withBytes()
  expect(left).toEqual(expect.arrayContaining(open))
  expect(left.length).toBeGreaterThan(open.length)
  expect(left.length).toBeLessThan(open.length + ofTwo.length)
  expect(await read()).toEqual(before)
  await shrink()
  expect(await withBytes()).toEqual(open)
  expect(await read()).toEqual(before)
})
