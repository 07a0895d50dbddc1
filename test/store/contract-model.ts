// After any sequence of writes the counts and bytes are those of the rows, and each transaction's events have its statuses in order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newest } from '../../src/domain/attempt.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { addFigures, type Figure, type FigureSums, figuresOf, periodMs, periodOf } from '../../src/domain/figures.ts'
import { replace } from '../../src/domain/replace.ts'
import { isTerminal, statuses, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import { payloadToRow } from '../../src/store/transactions/rows/payload-row.ts'
import {
  broadcastStates,
  by,
  byForeign,
  hashOf,
  now,
  receiver,
  someAttempt,
  someBulk,
  someNoOp,
  somePayload,
} from '../domain/some.ts'
import { type OpenStore, send, sendWithin, storedRelayer } from './contract.ts'

const anyOperation = fc.record({
  do: fc.constantFrom(
    'send',
    'bind',
    'answer',
    'bump',
    'cancel',
    'mine',
    'confirm',
    'foreign',
    'reopen',
    'settle',
    'requeue',
    'bulk',
    'replace',
    'undone',
  ),
  which: fc.nat({ max: 20 }),
})

export function modelContract(open: OpenStore): void {
  test('counts equal counted rows; one event a change of status; one terminal event, the last', async () => {
    await using under = await open()
    const { store } = under
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { minLength: 5, maxLength: 60 }), async (operations) => {
        const relayer = await storedRelayer(store)
        const model: Transaction[] = []
        const history = new Map<string, string[]>()
        let nonce = 0
        for (const { do: what, which } of operations) {
          if (what === 'send') {
            const sent = await send(store, relayer.id, { payload: payloadOf(which) })
            model.push(sent)
            history.set(sent.id, ['pending'])
            continue
          }
          if (what === 'undone') {
            const unit = store.commit(async (session) => {
              await sendWithin(session, relayer.id, { payload: payloadOf(which) })
              await session.cancelPending(relayer.id, now, someBulk())
              throw new Error('the disk is full')
            }, relayer.id)
            await expect(unit).rejects.toThrow('the disk is full')
            continue
          }
          if (what === 'bulk') {
            await store.commit((session) => session.cancelPending(relayer.id, now, someBulk()))
          } else {
            const before = model[which % Math.max(1, model.length)]
            const after =
              before &&
              (what === 'replace' ? replaced(before, which) : moved(before, what, nonce, now + which * periodMs))
            if (!before || !after) continue
            if (what === 'bind') nonce += 1
            await store.commit((session) => session.saveTransaction(before, after, now))
          }
          for (const [index, each] of model.entries()) {
            const fresh = await store.reads.transaction(relayer.id, each.id)
            if (!fresh) throw new Error('lost')
            model[index] = fresh
            const seen = history.get(each.id) ?? []
            if (seen.at(-1) !== statusOf(fresh)) seen.push(statusOf(fresh))
            history.set(each.id, seen)
          }
        }
        const counted = Object.fromEntries(
          statuses.map((status) => [status, model.filter((each) => statusOf(each) === status).length]),
        )
        const bytes = model.filter(isPending).reduce((sum, each) => sum + bytesOf(each), 0)
        expect(await store.reads.counts(relayer.id)).toEqual({ ...counted, bytes })
        const ofAll = (await store.reads.pending()).find(({ relayerId }) => relayerId === relayer.id)
        expect(ofAll ?? none).toEqual({
          ...none,
          relayerId: ofAll?.relayerId,
          count: model.filter(isPending).length,
          bytes,
        })
        expect(await store.commit((session) => session.pending(relayer.id))).toBe(model.filter(isPending).length)
        const range = { from: periodOf(now), to: now + 30 * periodMs, stepMs: periodMs }
        expect((await store.reads.figures(range, relayer.id)).filter(isCounted).map(withoutZeros)).toEqual(
          figuresOfAll(model),
        )
        for (const each of model) {
          const events = await under.query<{ status: string; terminal: number }>(
            `SELECT status, terminal FROM outbox WHERE transaction_id = '${each.id}' ORDER BY id`,
          )
          const reported = events.map(({ status }) => status)
          expect(reported.filter((status, index) => status !== reported[index - 1])).toEqual(
            history.get(each.id)?.slice(1),
          )
          expect(events.map(({ terminal }) => terminal)).toEqual(
            events.map((_, index) => (isTerminal(each) && index === events.length - 1 ? 1 : 0)),
          )
        }
      }),
      { numRuns: 60 },
    )
  })
}

const none = { relayerId: undefined, count: 0, bytes: 0 }

const isPending = (transaction: Transaction) => ['pending', 'sent', 'submitted'].includes(statusOf(transaction))

function payloadOf(which: number): Transaction['payload'] {
  const accessList = [{ address: receiver, storageKeys: [hashOf(which)] }]
  return { ...somePayload, data: `0x${'ab'.repeat(which)}`, ...(which % 2 === 1 && { accessList }) }
}

/** Written out: data, access list and earlier payloads have these in the database. */
function bytesOf({ payload, earlier }: Transaction): number {
  const listBytes = (list: Transaction['payload']['accessList']) => (list ? JSON.stringify(list).length : 0)
  const kept = earlier ? JSON.stringify(earlier.map(payloadToRow)).length : 0
  return payload.data.length + listBytes(payload.accessList) + kept
}

function replaced(before: Transaction, which: number): Transaction | undefined {
  if (!isPending(before)) return undefined
  const { from: _, ...request } = payloadOf(which + 7)
  return replace(before, request, 'public')
}

const isCounted = ({ figures }: FigureSums) => Object.values(figures).some((figure) => figure !== 0)

function withoutZeros({ at, figures }: Omit<FigureSums, 'figures'> & { figures: Partial<Record<Figure, number>> }) {
  return { at, figures: Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== 0)) }
}

/** By their rows, oldest first. */
function figuresOfAll(model: readonly Transaction[]) {
  const sums = new Map<number, Partial<Record<Figure, number>>>()
  for (const change of model.flatMap((each) => figuresOf(each))) {
    const sum = sums.get(change.at) ?? {}
    sums.set(change.at, sum)
    addFigures(sum, change)
  }
  const all = [...sums].sort(([one], [other]) => one - other)
  return all.map(([at, figures]) => withoutZeros({ at, figures }))
}

/** What a reconciler or a client might make of it; undefined where that can't happen. */
function moved(transaction: Transaction, what: string, nonce: number, at: number): Transaction | undefined {
  const { lifecycle } = transaction
  const facts = 'attempts' in lifecycle ? { nonce: lifecycle.nonce, attempts: lifecycle.attempts } : undefined
  const transactionId = transaction.id
  const flying = lifecycle.phase === 'inFlight' && facts
  const isMined = lifecycle.phase === 'mined' && facts
  switch (what) {
    case 'bind': {
      if (lifecycle.phase !== 'queued') return undefined
      const attempts = [someAttempt(nonce, { transactionId, broadcast: broadcastStates.sending })] as const
      return { ...transaction, lifecycle: { phase: 'inFlight', nonce, attempts }, sentAt: at }
    }
    case 'answer': {
      if (!flying) return undefined
      const [first, ...rest] = flying.attempts
      const attempts = [{ ...first, broadcast: broadcastStates.accepted }, ...rest] as const
      return { ...transaction, lifecycle: { ...lifecycle, attempts } }
    }
    case 'bump': {
      if (!flying) return undefined
      const another = (transaction.cancellation ? someNoOp : someAttempt)(flying.nonce, { transactionId })
      return { ...transaction, lifecycle: { ...lifecycle, attempts: [...flying.attempts, another] } }
    }
    case 'cancel':
      return isPending(transaction) ? cancel(transaction, now) : undefined
    case 'mine': {
      if (!flying) return undefined
      const last = newest(flying.attempts)
      return { ...transaction, lifecycle: { phase: 'mined', ...flying, inclusion: by(last) } }
    }
    case 'foreign':
      return flying ? { ...transaction, lifecycle: { phase: 'mined', ...flying, inclusion: byForeign() } } : undefined
    case 'confirm':
      return lifecycle.phase === 'mined' ? { ...transaction, lifecycle: { ...lifecycle, confirmedAt: at } } : undefined
    case 'reopen':
      return isMined ? { ...transaction, lifecycle: { phase: 'inFlight', ...isMined } } : undefined
    case 'settle':
      return lifecycle.phase === 'mined'
        ? { ...transaction, lifecycle: { ...lifecycle, phase: 'final', finalAt: now, witnesses: 1 } }
        : undefined
    case 'requeue': {
      const lost = lifecycle.phase === 'mined' && lifecycle.inclusion.by === 'external' && !transaction.cancellation
      return lost ? { ...transaction, lifecycle: { phase: 'queued' } } : undefined
    }
  }
  return undefined
}
