// Steps over the production store: the rows when bytes leave, and the effect of a DELETE at any moment.
import { expect, test } from 'vitest'
import { replaceTransaction } from '../../src/commands/transactions/replace.ts'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import type { BroadcastOutcome } from '../../src/domain/attempt.ts'
import { passedMax } from '../../src/domain/decide/plan/work.ts'
import { OwnershipLost, StaleWrite } from '../../src/domain/errors.ts'
import type { ApiKeyId, TransactionId } from '../../src/domain/ids.ts'
import type { NetworkPause } from '../../src/domain/pause.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import { statusOf } from '../../src/domain/transaction.ts'
import { statusReasonOf } from '../../src/domain/wait.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { withAnswered } from '../../src/engine/earlier-work.ts'
import { freshOwner, step as stepOnly } from '../../src/engine/step.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import type { Store } from '../../src/store/store.ts'
import { answeredAttempts } from '../../tooling/answered-attempts.ts'
import {
  by,
  byForeign,
  ether,
  headAt,
  height,
  receiver,
  someObservation,
  somePolicy,
  someRepeatAfter,
} from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, request, step, type Workplace } from './workplace.ts'

const unsent: BroadcastOutcome = { kind: 'unsent', message: 'no connection' }
const invalid: BroadcastOutcome = { kind: 'rejected', code: 'invalid', message: 'intrinsic gas too low' }

test('rows are durable at the moment their bytes are broadcast', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const first = await place.send()
  const ids = [first, await place.send()]
  const seen: unknown[] = []
  chain.whileBroadcasting = async () => {
    seen.push(
      ...(await place.under.query(
        `SELECT transaction_id, nonce, hash, raw, state FROM ${answeredAttempts()} AS attempts ORDER BY nonce`,
      )),
    )
  }
  await step(context, await place.own(), nothingUnknown, noneHanging)
  expect(chain.broadcasts.map(({ reach }) => reach)).toEqual(['one', 'one'])
  expect(seen).toEqual(
    ids.map((id, nonce) => ({
      transaction_id: id,
      nonce,
      hash: chain.broadcasts[nonce]?.hash,
      raw: chain.broadcasts[nonce]?.raw,
      state: 'sending',
    })),
  )
  expect((await place.readAs(first, 'inFlight')).lifecycle.attempts[0].broadcast).toMatchObject({
    outcome: { kind: 'accepted' },
  })
})

test('a DELETE between load and record: nothing is broadcast, and the next step does right', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const first = await place.send()
  const second = await place.send()
  chain.whileObserving = async () => {
    await place.cancel(first)
    chain.whileObserving = async () => {}
  }
  await expect(step(context, ownership, nothingUnknown, noneHanging)).rejects.toThrow(StaleWrite)
  expect(chain.broadcasts).toEqual([])
  expect(await place.under.query('SELECT * FROM attempts')).toEqual([])

  await step(context, ownership, nothingUnknown, noneHanging)
  expect(await place.read(first)).toMatchObject({ lifecycle: { phase: 'dropped', reason: 'canceled' } })
  expect((await place.readAs(second, 'inFlight')).lifecycle.nonce).toBe(0)
  expect(chain.broadcasts).toHaveLength(1)
})

test.each<[string, Partial<Relayer>, Partial<Policies>]>([
  ['a pause', { paused: true }, {}],
  ['a list of receivers', {}, { whitelistReceivers: [] }],
  ['a lower cap', {}, { gasPriceCap: 1n }],
])('%s that is answered while a step looks around binds no nonce any more', async (_, changes, policies) => {
  await using place = await openWorkplace()
  const { chain, context, relayer } = place
  const ownership = await place.own()
  const id = await place.send()
  chain.whileObserving = async () => {
    const changed = { ...relayer, ...changes, policies: { ...relayer.policies, ...policies } }
    await context.store.commit((session) => session.saveRelayer(changed))
    chain.whileObserving = async () => {}
  }
  await expect(step(context, ownership, nothingUnknown, noneHanging)).rejects.toThrow(StaleWrite)
  expect(chain.broadcasts).toEqual([])
  expect((await place.read(id)).sentAt).toBeUndefined()

  await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.broadcasts).toEqual([])
  expect(statusReasonOf(await place.read(id))).toBeDefined()
})

test('a balance that moves by one wei with each block writes no row while a transaction waits for it', async () => {
  await using place = await openWorkplace({ minBalance: 2n * ether })
  const { chain, context } = place
  const ownership = await place.own()
  const id = await place.send()
  const versions: number[] = []
  for (const wei of [0n, 1n, 2n, 3n, 4n, 5n, ether / 2n]) {
    chain.view = someObservation({ head: headAt(height + versions.length), balance: ether + wei })
    await step(context, ownership, nothingUnknown, noneHanging)
    const { wait, version } = await place.read(id)
    expect(wait?.condition).toBe('balance_below_minimum')
    versions.push(version)
  }
  const [first = 0] = versions
  expect(versions).toEqual([...Array.from({ length: 6 }, () => first), first + 1])
})

test('the pause of a network that is answered while a step looks around binds no nonce, and its end sends', async () => {
  await using place = await openWorkplace()
  const { chain, context, relayer } = place
  const ownership = await place.own()
  const id = await place.send()
  const mark = (pause?: NetworkPause) => context.store.commit((session) => session.markNetwork(relayer.network, pause))
  chain.whileObserving = async () => {
    await mark({ at: 0, by: 'operator' as ApiKeyId })
    chain.whileObserving = async () => {}
  }
  await expect(step(context, ownership, nothingUnknown, noneHanging)).rejects.toThrow(StaleWrite)
  await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.broadcasts).toEqual([])
  expect((await place.read(id)).wait).toMatchObject({ condition: 'paused', facts: { by: 'network' } })
  await mark()
  await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.broadcasts).toHaveLength(1)
})

test('a name that changes while a step looks around is none of its business', async () => {
  await using place = await openWorkplace()
  const { chain, context, relayer } = place
  const ownership = await place.own()
  await place.send()
  chain.whileObserving = async () => {
    await context.store.commit((session) => session.saveRelayer({ ...relayer, name: 'another' }))
  }
  await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.broadcasts).toHaveLength(1)
})

test('an owner keeps its own writes as a read would find them, also of a second binding to the same nonce', async () => {
  await using place = await openWorkplace()
  const { chain, context, commands, relayer } = place
  const ownership = await place.own()
  const id = await place.send()
  let carried = nothingUnknown
  const stepAndCompare = async () => {
    const { earlier, ...kept } = (await step(context, ownership, carried, noneHanging)).carried
    carried = { ...kept, ...(earlier && { earlier: withAnswered(earlier, noneHanging.broadcasts.takeAnswered()) }) }
    const stored = await place.read(id)
    expect(carried.earlier?.transactions.get(id)).toStrictEqual(stored)
    return stored
  }
  chain.answer = () => unsent
  await stepAndCompare()
  await replaceTransaction(commands, relayer.id, id, { ...request, value: 2n })
  expect((await place.read(id)).lifecycle.phase).toBe('queued')
  chain.answer = () => ({ kind: 'accepted' })
  const { lifecycle } = await stepAndCompare()
  expect(lifecycle).toMatchObject({
    nonce: 0,
    attempts: [
      { broadcast: { state: 'withdrawn' } },
      { broadcast: { state: 'handed', outcome: { kind: 'accepted' } } },
    ],
  })
})

test('an answer that comes during a look is part of its decision', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const underWay = {
    ...noneHanging,
    broadcasts: trackBroadcasts(
      () => {},
      () => {},
    ),
  }
  const id = await place.send()
  const answer = Promise.withResolvers<void>()
  chain.whileBroadcasting = () => answer.promise
  await stepOnly(context, ownership, nothingUnknown, underWay)
  const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
  chain.whileObserving = async () => {
    answer.resolve()
    await underWay.broadcasts.ended()
  }
  chain.view = someObservation({ nonce: 1, inclusions: new Map([[0, by(attempts[0])]]) })
  await step(context, ownership, nothingUnknown, underWay)
  expect((await place.readAs(id, 'mined')).lifecycle.attempts[0].broadcast.state).toBe('handed')
})

/** Two bindings of the same payload to the same nonce: their bytes are the same, and the first is withdrawn. */
async function boundTwice(place: Workplace, ownership: Ownership) {
  const id = await place.send()
  place.chain.answer = () => unsent
  const { carried } = await step(place.context, ownership, nothingUnknown, noneHanging)
  await replaceTransaction(place.commands, place.relayer.id, id, request)
  return { id, carried }
}

test('killed while bytes leave that an earlier attempt has, too: an unreachable node then proves nothing', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const { id, carried } = await boundTwice(place, ownership)
  chain.whileBroadcasting = async () => {
    chain.whileBroadcasting = async () => {}
    throw new Error('killed')
  }
  await expect(step(context, ownership, carried, noneHanging)).rejects.toThrow('killed')

  const next = await step(context, await place.own(), nothingUnknown, noneHanging)
  const stored = await place.readAs(id, 'inFlight')
  const [first, second] = stored.lifecycle.attempts
  expect(second?.hash).toBe(first.hash)
  expect(second?.broadcast).toMatchObject({ state: 'handed', outcome: { kind: 'unknown' } })
  expect(next.carried.earlier?.transactions.get(id)).toStrictEqual(stored)
  expect((await place.cancel(id)).lifecycle.phase).toBe('inFlight')
})

test('an accepted broadcast whose answer can not be stored, of bytes that an earlier attempt has, too, stays in doubt', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const { id, carried } = await boundTwice(place, ownership)
  chain.answer = () => ({ kind: 'accepted' })
  const commit: Store['commit'] = (unit, relayer, ahead) =>
    ahead ? Promise.reject(new Error('the disk is full')) : context.store.commit(unit, relayer, ahead)
  const failing = { ...context, store: { ...context.store, commit } }
  await expect(step(failing, ownership, carried, noneHanging)).rejects.toThrow('the disk is full')

  chain.answer = () => unsent
  await step(context, await place.own(), nothingUnknown, noneHanging)
  expect((await place.cancel(id)).lifecycle.phase).toBe('inFlight')
})

test('a DELETE between load and record of a mere repetition: the canceled bytes do not go out again', async () => {
  await using place = await openWorkplace()
  const { chain, context, clock } = place
  const ownership = await place.own()
  chain.answer = () => ({ kind: 'unknown', message: 'timed out' })
  const id = await place.send()
  await step(context, ownership, nothingUnknown, noneHanging)
  const [original] = chain.broadcasts
  clock.advance(someRepeatAfter.doubtfulMs)
  chain.whileObserving = async () => {
    await place.cancel(id)
    chain.whileObserving = async () => {}
  }
  await expect(step(context, ownership, nothingUnknown, noneHanging)).rejects.toThrow(StaleWrite)
  expect(chain.broadcasts).toEqual([original])

  await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.broadcasts).toHaveLength(2)
  expect(chain.broadcasts[1]).toMatchObject({ reach: 'all' })
  expect(chain.broadcasts[1]?.hash).not.toBe(original?.hash)
})

test('an owner whose epoch is over records nothing and broadcasts nothing', async () => {
  await using place = await openWorkplace()
  const ownership = await place.own()
  const id = await place.send()
  await place.own()
  await expect(step(place.context, ownership, nothingUnknown, noneHanging)).rejects.toThrow(OwnershipLost)
  expect(place.chain.broadcasts).toEqual([])
  expect(await place.read(id)).toMatchObject({ lifecycle: { phase: 'queued' }, version: 1 })
})

test('an owner that loses its relayer while it looks broadcasts nothing; the next one sends the recorded attempts', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const id = await place.send()
  chain.whileObserving = async () => ownership.release.abort()
  await step(context, ownership, nothingUnknown, noneHanging)
  expect(chain.broadcasts).toEqual([])
  const recorded = (await place.readAs(id, 'inFlight')).lifecycle.attempts[0]
  expect(recorded.broadcast).toEqual({ state: 'sending' })

  chain.whileObserving = async () => {}
  await step(context, await place.own(), nothingUnknown, noneHanging)
  expect(chain.broadcasts.map(({ raw }) => raw)).toEqual([recorded.raw])
})

test('a DELETE while the nodes answer: what they may have is raced, and never sent again', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const id = await place.send()
  chain.whileBroadcasting = async () => {
    await place.cancel(id)
    chain.whileBroadcasting = async () => {}
  }
  chain.answer = () => ({ kind: 'unknown', message: 'timed out' })
  await step(context, ownership, nothingUnknown, noneHanging)
  const racing = await place.readAs(id, 'inFlight')
  expect(racing.cancellation).toBeDefined()
  expect(racing.lifecycle.attempts[0].broadcast).toMatchObject({ outcome: { kind: 'unknown' } })

  await step(context, ownership, nothingUnknown, noneHanging)
  expect((await place.readAs(id, 'inFlight')).lifecycle.attempts.map(({ kind }) => kind)).toEqual(['execute', 'cancel'])
  expect(chain.broadcasts).toHaveLength(2)
})

test('a DELETE while the nodes answer, and none of them got a byte: dropped, its attempt shown as withdrawn', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const id = await place.send()
  chain.whileBroadcasting = async () => {
    await place.cancel(id)
  }
  chain.answer = () => unsent
  await step(context, await place.own(), nothingUnknown, noneHanging)
  expect(await place.read(id)).toMatchObject({ lifecycle: { phase: 'dropped', reason: 'canceled' } })
  expect((await place.under.store.reads.attempts(id)).map(({ broadcast }) => broadcast)).toEqual([
    { state: 'withdrawn' },
  ])
  expect(await place.under.query('SELECT status, terminal FROM outbox ORDER BY id')).toEqual([
    { status: 'sent', terminal: 0 },
    { status: 'canceled', terminal: 0 },
    { status: 'canceled', terminal: 1 },
  ])
})

test('a DELETE while the nodes answer, and all of them call it invalid: their word is no proof, and a no-op races it', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const id = await place.send()
  chain.whileBroadcasting = async () => {
    await place.cancel(id)
  }
  chain.answer = () => invalid
  const ownership = await place.own()
  await step(context, ownership, nothingUnknown, noneHanging)
  expect((await place.under.store.reads.attempts(id)).map(({ broadcast }) => broadcast)).toMatchObject([
    { state: 'handed', outcome: { code: 'invalid' }, rejections: 'all' },
  ])
  chain.whileBroadcasting = async () => {}
  await step(context, ownership, nothingUnknown, noneHanging)
  expect((await place.readAs(id, 'inFlight')).lifecycle.attempts.map(({ kind }) => kind)).toEqual(['execute', 'cancel'])
})

test('a payload that nodes call invalid is given up across a crash, and keeps its nonce until the chain shows the end', async () => {
  await using place = await openWorkplace()
  const { chain, context, clock } = place
  const requester = { keyId: 'clerk' as ApiKeyId, operation: 'send', requestId: 'r', address: '::1' }
  const { id: refused } = await submitTransaction(place.commands, place.relayer.id, request, requester)
  const other = await place.send({ value: 2n })
  const giveUps = () =>
    place.under.store.commit((session) => session.giveUps(place.relayer.id, requester.keyId, clock.now()))
  const first = () => chain.broadcasts[0]?.hash
  chain.answer = ({ hash }) => (hash === first() ? invalid : { kind: 'accepted' })
  await step(context, await place.own(), nothingUnknown, noneHanging)
  clock.advance(3_000)
  chain.view = someObservation({ head: headAt(height + 3) })
  const next = await place.own()
  await step(context, next, nothingUnknown, noneHanging)
  expect(chain.broadcasts.filter(({ hash }) => hash === first())).toHaveLength(2)
  expect(chain.inquiries.at(-1)?.refused).toEqual([{ newest: first(), live: [first()] }])
  chain.view = { ...chain.view, refusedByAll: new Map(chain.broadcasts.slice(0, 1).map(({ hash }) => [hash, 'no'])) }
  await step(context, next, nothingUnknown, noneHanging)
  await step(context, next, nothingUnknown, noneHanging)
  expect(await place.readAs(refused, 'inFlight')).toMatchObject({
    cancellation: { origin: 'refusal' },
    lifecycle: { nonce: 0, attempts: [{ kind: 'execute' }, { kind: 'cancel' }] },
  })
  expect(statusOf(await place.read(refused))).toBe('submitted')
  expect((await place.readAs(other, 'inFlight')).lifecycle.nonce).toBe(1)
  expect(await giveUps(), 'counted against the key that sent it').toBe(1)
})

test('a life from send to settled raises the floor and counts once', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const id = await place.send()
  await step(context, ownership, nothingUnknown, noneHanging)
  const { attempts } = (await place.readAs(id, 'inFlight')).lifecycle
  const inclusions = new Map([[0, by(attempts[0])]])
  chain.view = someObservation({ nonce: 1, inclusions })
  await step(context, ownership, nothingUnknown, noneHanging)
  expect(statusOf(await place.read(id))).toBe('mined')
  const block = by(attempts[0]).block
  chain.view = someObservation({
    nonce: 1,
    head: headAt(height + somePolicy.requiredConfirmations - 1),
    canonical: new Map([[block.number, block.hash]]),
  })
  const rest = await step(context, ownership, nothingUnknown, noneHanging)
  expect(statusOf(await place.read(id))).toBe('confirmed')
  expect(rest.againAfterMs).toBeUndefined()
  expect(await place.under.query('SELECT spent_below FROM relayers')).toEqual([{ spent_below: 1 }])
  expect(await place.under.store.reads.counts(place.relayer.id)).toMatchObject({ confirmed: 1, pending: 0, mined: 0 })
})

test('a nonce that went to a foreign transaction: the payload gets another, at finality, and keeps its old attempts', async () => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const ownership = await place.own()
  const id = await place.send()
  await step(context, ownership, nothingUnknown, noneHanging)
  const { block } = byForeign()
  chain.view = someObservation({ nonce: 1, inclusions: new Map([[0, byForeign()]]) })
  await step(context, ownership, nothingUnknown, noneHanging)
  chain.view = someObservation({
    nonce: 1,
    head: headAt(height + 9),
    canonical: new Map([[block.number, block.hash]]),
  })
  await step(context, ownership, nothingUnknown, noneHanging)
  await step(context, ownership, nothingUnknown, noneHanging)
  expect((await place.readAs(id, 'inFlight')).lifecycle.nonce).toBe(1)
  const attempts = await place.under.store.reads.attempts(id)
  expect(attempts.map(({ nonce }) => nonce)).toEqual([0, 1])
})

test('with nothing to do the chain is not called', async () => {
  await using place = await openWorkplace()
  expect(await step(place.context, await place.own(), freshOwner, noneHanging)).toEqual({
    idle: true,
    carried: {
      ...{ pool: true, balance: true, lostHistory: 'none' },
      earlier: { relayer: place.relayer, transactions: new Map() },
    },
    conditions: [],
  })
  expect(place.chain.inquiries).toEqual([])
})

test('an estimate that did not come holds the queue and says why', async () => {
  await using place = await openWorkplace()
  const { id } = await submitTransaction(place.commands, place.relayer.id, {
    to: receiver,
    value: 1n,
    data: '0x',
    pricing: { kind: 'speed', speed: 'average' },
  })
  await step(place.context, await place.own(), nothingUnknown, noneHanging)
  expect(place.chain.inquiries[0]?.estimates).toMatchObject([{ transactionId: id }])
  expect((await place.read(id)).wait?.condition).toBe('gas_unknown')
  expect(place.chain.broadcasts).toEqual([])
})

test('a relayer that has nothing to do is announced to its network, and costs it no call', async () => {
  await using place = await openWorkplace()
  const { chain, context, relayer } = place
  expect(await step(context, await place.own(), freshOwner, noneHanging)).toMatchObject({ idle: true })
  expect([...chain.announced]).toEqual([relayer.address])
  expect(chain.inquiries).toEqual([])
})

test('with skip_unfunded transactions pass any number that cannot be paid, and the first of these is next once it can', async () => {
  await using place = await openWorkplace({ skipUnfunded: true, maxInFlight: 3 })
  const { chain, context } = place
  const ownership = await place.own()
  const dear: TransactionId[] = []
  for (let count = 0; count < passedMax + 5; count += 1) dear.push(await place.send({ value: 10n ** 24n }))
  const [first, second] = [await place.send(), await place.send()]
  const stepOn = async () => {
    let rest = await step(context, ownership, nothingUnknown, noneHanging)
    while (rest.againAfterMs === 0) rest = await step(context, ownership, nothingUnknown, noneHanging)
  }
  await stepOn()
  expect([(await place.readAs(first, 'inFlight')).lifecycle.nonce, chain.broadcasts.length]).toEqual([0, 2])
  expect((await place.readAs(second, 'inFlight')).lifecycle.nonce).toBe(1)
  for (const id of dear) expect(statusReasonOf(await place.read(id))).toMatch(/pass it \(skip_unfunded\): top it up$/)

  chain.view = someObservation({ balance: 10n ** 24n + 10n ** 18n })
  await stepOn()
  expect((await place.readAs(dear[0] as TransactionId, 'inFlight')).lifecycle.nonce).toBe(2)
  expect(chain.broadcasts).toHaveLength(3)
})
