// A poller that writes down all that the API shows of every transaction, and holds each word against the chain at the
// end. Where no reorganization happens, every shown fact must stay one.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { CancellationView, TransactionView } from '../../../tooling/client.ts'
import { headOf, type Mined, minedFrom } from '../../../tooling/ledger.ts'
import type { AnyStage } from '../../e2e/support/stage.ts'
import type { Sent, Traffic } from './traffic.ts'

interface Shown {
  readonly view: TransactionView
  readonly cancellation?: CancellationView
  /** The real head, read after the answers, so that none of them can be newer. */
  readonly head: number
}

interface Witness {
  /** Answers so far. */
  readonly answers: number
  stop(): Promise<void>
  /** After the end: every record against the chain, and against the end. */
  testify(requiredConfirmations: number): Promise<void>
}

export function watch(stage: AnyStage, traffic: Traffic): Witness {
  const records = new Map<string, Shown[]>()
  const { client, node } = stage
  let watching = true
  let answers = 0

  async function look({ sender, id }: Sent): Promise<void> {
    const view = await client.get(sender.id, id)
    const canceled = traffic.canceled.has(id) || view.status === 'canceled'
    const cancellation = canceled ? await client.cancellation(sender.id, id) : undefined
    const head = await headOf(node)
    answers += cancellation ? 2 : 1
    const known = records.get(id) ?? []
    const last = known.at(-1)
    records.set(id, known)
    // The first time that something is shown is what counts: the head was lowest then.
    if (last && sameWords(last, { view, ...(cancellation && { cancellation }) })) return
    known.push({ view, ...(cancellation && { cancellation }), head })
  }

  const watched = (async () => {
    while (watching) {
      await Promise.all(traffic.sent.map(look))
      await sleep(5)
    }
  })()
  // Reported by stop(); until then nobody waits for it.
  watched.catch(() => undefined)

  return {
    get answers() {
      return answers
    },
    async stop() {
      watching = false
      await watched
    },
    async testify(requiredConfirmations) {
      for (const { view } of [...records.values()].flat()) traffic.shown.push(view)
      const chains = new Map<string, readonly Mined[]>()
      for (const sent of traffic.sent) {
        const { address } = sent.sender
        const mined = chains.get(address) ?? (await minedFrom(node, address))
        chains.set(address, mined)
        await holdShown(stage, sent, records.get(sent.id) ?? [], mined, requiredConfirmations)
        const ran = executed(stage, sent.id, mined)
        for (const { status, hash } of traffic.shown.filter(({ id }) => id === sent.id)) {
          if (isMined(status)) expect(ran?.hash, `${sent.id} was shown as ${status}`).toBe(hash)
        }
      }
    },
  }
}

async function holdShown(
  { client, rows }: AnyStage,
  { sender, id }: Sent,
  records: readonly Shown[],
  mined: readonly Mined[],
  requiredConfirmations: number,
): Promise<void> {
  const ran = executed({ rows }, id, mined)
  const own = new Set<string>(rows.attempts(id).map(({ hash }) => hash))
  const end = await client.get(sender.id, id)
  const verdict = rows.transaction(id).canceled_at === null ? undefined : await client.cancellation(sender.id, id)
  let last: Shown | undefined
  for (const shown of records) {
    const { view, cancellation, head } = shown
    const about = `${id}, shown at block ${head}: ${JSON.stringify([view.status, view.status_reason, cancellation])}`
    if (isMined(view.status)) {
      expect(ran, `${about}; on chain`).toMatchObject({ hash: view.hash, nonce: view.nonce })
      expect(ran?.block, `${about}; its block`).toBeLessThanOrEqual(head)
    }
    if (view.status === 'confirmed') {
      expect(head - (ran?.block ?? head), `${about}; blocks on top`).toBeGreaterThanOrEqual(requiredConfirmations - 1)
      expect(view, `${about}; the end`).toEqual(end)
    }
    if (last && isMined(last.view.status)) expect(isMined(view.status), `${about}; it was mined before`).toBe(true)
    if (cancellation) {
      const { state, final, safe_to_retry: safe, winner } = cancellation
      const spender = mined.find(({ hash }) => hash === winner?.hash)
      if (safe || state === 'dropped' || state === 'won') expect(ran, `${about}; executed`).toBeUndefined()
      if (state !== 'racing' && state !== 'dropped') {
        expect(state, `${about}; the end`).toBe(verdict?.state)
        expect(spender?.block, `${about}; its winner's block`).toBeLessThanOrEqual(head)
        expect(own.has(winner?.hash ?? ''), `${about}; the winner is ours`).toBe(state !== 'external')
        expect(cancellation.cost, `${about}; the cost at the end`).toBe(verdict?.cost)
      }
      if (state === 'lost') expect(ran?.hash, `${about}; executed`).toBe(winner?.hash)
      if (final) expect(cancellation, `${about}; the end`).toEqual(verdict)
      if (final && spender) {
        expect(head - spender.block, `${about}; blocks on top`).toBeGreaterThanOrEqual(requiredConfirmations - 1)
      }
      if (last?.cancellation && last.cancellation.state !== 'racing') {
        expect(state, `${about}; it was ${last.cancellation.state} before`).toBe(last.cancellation.state)
      }
    }
    last = shown
  }
}

function executed({ rows }: Pick<AnyStage, 'rows'>, id: string, mined: readonly Mined[]): Mined | undefined {
  const payloads = rows.attempts(id).filter(({ kind }) => kind !== 'cancel')
  return mined.find(({ hash }) => payloads.some((attempt) => attempt.hash === hash))
}

function isMined(status: string): boolean {
  return status === 'mined' || status === 'confirmed' || status === 'failed'
}

function sameWords(one: Omit<Shown, 'head'>, other: Omit<Shown, 'head'>): boolean {
  return JSON.stringify([one.view, one.cancellation]) === JSON.stringify([other.view, other.cancellation])
}
