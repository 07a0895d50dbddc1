// A DELETE, an expiry and a PUT while nodes do not answer: the bytes that leave before the look is over, and those that do not.
import { expect, test } from 'vitest'
import { cancelTransaction } from '../../src/commands/transactions/cancel.ts'
import { replaceTransaction } from '../../src/commands/transactions/replace.ts'
import { isNoOp } from '../../src/domain/attempt.ts'
import type { TransactionId } from '../../src/domain/ids.ts'
import type { Observation } from '../../src/domain/observation.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import { withKnownBalance } from '../../src/engine/decide-at-once.ts'
import { advance } from '../../src/engine/loop.ts'
import type { StepContext } from '../../src/engine/step-context.ts'
import { answeredAttempts } from '../../tooling/answered-attempts.ts'
import { blockHash, by, headAt, height, someObservation } from '../domain/some.ts'
import { quiescence, until } from '../support/settled.ts'
import { heldSigner } from './held-signer.ts'
import { openWorkplace, request, type Workplace } from './workplace.ts'

interface Hanging {
  /** What the last look shows. */
  readonly observed?: Partial<Observation>
  readonly sends?: number
  readonly send?: Partial<SendRequest>
  readonly around?: (context: StepContext) => StepContext
}

/** An owner with payloads in flight that has looked, whose next look hangs until the test lets it end. */
async function openHanging({
  observed = {},
  sends = 1,
  around = (each: StepContext) => each,
  send = {},
}: Hanging = {}) {
  const place = await openWorkplace()
  const { chain, commands, relayer, clock } = place
  const context = around(place.context)
  const ownership = await place.own()
  const ids: TransactionId[] = []
  for (let left = sends; left > 0; left -= 1) ids.push(await place.send(send))
  const loop = advance(context, ownership, { renew: () => {}, yield: () => {} })
  await until('the answers to the sends', async () =>
    (await Promise.all(ids.map((id) => attemptsOf(place, id)))).every(
      (attempts) => attempts.length === 1 && attempts.every(({ broadcast }) => broadcast.state === 'handed'),
    ),
  )
  // The loop rests for so long after a step that changed nothing.
  const endIdleRest = () => {
    if (clock.sleeping.includes(20)) clock.advance(20)
  }
  /** Begins another look. */
  const look = async (whileObserving: () => Promise<void>) => {
    let begun = false
    chain.whileObserving = () => {
      begun = true
      return whileObserving()
    }
    chain.newHead()
    await until('a look', () => {
      if (!begun) endIdleRest()
      return begun
    })
  }
  chain.view = someObservation(observed)
  await look(async () => {})
  const lastLookAt = clock.elapsed()
  let letGo = () => {}
  await look(
    () =>
      new Promise((resolve) => {
        letGo = resolve
      }),
  )
  const wakes = { ...commands, wake: () => loop.wake() }
  const broadcastBefore = chain.broadcasts.length
  return {
    place,
    ids,
    first: ids[0] as TransactionId,
    loop,
    commands: wakes,
    cancel: (id: TransactionId) => cancelTransaction(wakes, relayer.id, id),
    replace: (id: TransactionId, value: bigint) => replaceTransaction(wakes, relayer.id, id, { ...request, value }),
    /** The bytes that left since the look began to hang. */
    left: () => chain.broadcasts.slice(broadcastBefore),
    letGo() {
      chain.whileObserving = async () => {}
      letGo()
    },
    lastLookAt,
    endIdleRest,
    noOpsOf: async (id: TransactionId) => (await attemptsOf(place, id)).filter(isNoOp),
    async [Symbol.asyncDispose]() {
      chain.whileObserving = async () => {}
      letGo()
      ownership.release.abort()
      await loop.stopped
      await place[Symbol.asyncDispose]()
    },
  }
}

async function attemptsOf(place: Workplace, id: TransactionId) {
  const { lifecycle } = await place.read(id)
  return 'attempts' in lifecycle ? lifecycle.attempts : []
}

test('a DELETE broadcasts its no-op to every endpoint while the look hangs, as a row, and only once', async () => {
  await using owner = await openHanging()
  const { place, first } = owner
  const seen: unknown[] = []
  place.chain.whileBroadcasting = async () => {
    seen.push(
      ...(await place.under.query(`SELECT hash, state FROM ${answeredAttempts()} AS attempts WHERE kind = 'cancel'`)),
    )
  }
  await owner.cancel(first)
  await until('the no-op', () => owner.left().length === 1)
  const [noOp] = await owner.noOpsOf(first)
  expect(owner.left()).toMatchObject([{ hash: noOp?.hash, reach: 'all' }])
  expect(seen).toEqual([{ hash: noOp?.hash, state: 'sending' }])

  owner.letGo()
  await quiescence()
  expect(await owner.noOpsOf(first)).toHaveLength(1)
  expect(owner.left()).toHaveLength(1)
})

test('DELETEs one after the other, and an expiry, broadcast their no-ops within one look', async () => {
  const validUntil = someObservation().head.timestampMs + 3_000
  await using owner = await openHanging({ sends: 3, send: { validUntil } })
  const [first, second, third] = owner.ids as [TransactionId, TransactionId, TransactionId]
  for (const [index, id] of [third, first].entries()) {
    await owner.cancel(id)
    await until('the no-op', () => owner.left().length === index + 1)
    expect(await owner.noOpsOf(id)).toHaveLength(1)
  }
  owner.place.clock.advance(3_000)
  await until('the no-op of the expired one', () => owner.left().length === 3)
  expect(await owner.noOpsOf(second)).toHaveLength(1)
  expect(await owner.place.read(second)).toMatchObject({ cancellation: { origin: 'expiry' } })
})

test('a PUT broadcasts its payload while the look hangs, and one after another', async () => {
  await using owner = await openHanging()
  for (const [index, value] of [2n, 3n].entries()) {
    await owner.replace(owner.first, value)
    await until('the payload', () => owner.left().length === index + 1)
    const attempts = await attemptsOf(owner.place, owner.first)
    expect(attempts.at(-1)).toMatchObject({ hash: owner.left()[index]?.hash, revision: index + 1 })
  }
})

test.each([
  ['read less than 6 s ago: it leaves at once', 5_999, 0, 1],
  ['read 6 s ago: it waits', 6_000, 0, 0],
  ['read less than 6 s ago, and before that look: it leaves at once', 3_999, 2_000, 1],
  ['read 6 s ago, and before that look: it waits', 4_000, 2_000, 0],
])('a no-op by a head that was %s', async (_, agoMs, headAgeMs, expected) => {
  await using owner = await openHanging({ observed: { headAgeMs } })
  const { clock } = owner.place
  clock.advance(owner.lastLookAt + agoMs - clock.elapsed())
  await owner.cancel(owner.first)
  await until('as many no-ops', () => owner.left().length === expected)
  await quiescence()
  expect(owner.left()).toHaveLength(expected)
  owner.letGo()
  await until('the no-op', () => {
    owner.endIdleRest()
    return owner.left().length === 1
  })
})

test('a nonce that the last look counted as spent gets no no-op before the next says more', async () => {
  await using owner = await openHanging({ observed: { nonce: 1 } })
  await owner.cancel(owner.first)
  await quiescence()
  expect(owner.left()).toEqual([])
})

test('a POST is bound by the look, and not by a DELETE during it', async () => {
  await using owner = await openHanging()
  const { place, first } = owner
  const posted = await place.send()
  await owner.cancel(first)
  await until('the no-op', () => owner.left().length === 1)
  await quiescence()
  expect((await place.read(posted)).lifecycle.phase).toBe('queued')
  owner.letGo()
  await until('the POST', () => owner.left().length === 2)
  expect((await place.readAs(posted, 'inFlight')).lifecycle.nonce).toBe(1)
})

test('a look that was under way when the no-op left proves nothing about it: the next one finds it mined', async () => {
  await using owner = await openHanging()
  const { place, first } = owner
  await owner.cancel(first)
  await until('the no-op', () => owner.left().length === 1)
  const [noOp] = await owner.noOpsOf(first)
  if (!noOp) throw new Error('no no-op')
  const foreign = {
    by: 'external',
    hash: noOp.hash,
    block: { number: height + 1, hash: blockHash(height + 1) },
  } as const
  const spent = { head: headAt(height + 1), nonce: 1, canonical: new Map([[height + 1, blockHash(height + 1)]]) }
  // The look knew no hash of ours for it.
  place.chain.view = someObservation({ ...spent, inclusions: new Map([[0, foreign]]) })
  const looks = place.chain.inquiries.length
  owner.letGo()
  place.chain.whileObserving = async () => {
    place.chain.view = someObservation({ ...spent, inclusions: new Map([[0, by(noOp, height + 1)]]) })
  }
  await until('the next look', () => place.chain.inquiries.length > looks)
  await until('the verdict', async () => (await place.read(first)).lifecycle.phase !== 'inFlight')
  expect(await place.read(first)).toMatchObject({ lifecycle: { inclusion: { by: 'attempt', kind: 'cancel' } } })
})

test('a remote signer is called once for the no-op, which leaves with the signature while the look hangs', async () => {
  let signer: ReturnType<typeof heldSigner> | undefined
  const around = (context: StepContext): StepContext => {
    const inner = context.signerOf
    return {
      ...context,
      signerOf(relayer) {
        if (!signer) {
          signer = heldSigner(inner(relayer))
          signer.mood = 'signs'
        }
        return signer
      },
    }
  }
  await using owner = await openHanging({ around })
  if (!signer) throw new Error('no signer')
  signer.mood = 'holds'
  await owner.cancel(owner.first)
  const held = () => signer?.held ?? []
  await until('the call', () => held().length === 1)
  owner.loop.wake()
  await quiescence()
  expect(held()).toMatchObject([{ nonce: 0, priority: 'cancel' }])
  held()[0]?.sign()
  await until('the no-op', () => {
    owner.endIdleRest()
    return owner.left().length === 1
  })
  owner.letGo()
  await quiescence()
  expect(held()).toEqual([])
  expect(await owner.noOpsOf(owner.first)).toHaveLength(1)
})

test('a balance is known from an earlier look until a nonce is spent, unless payments count later', () => {
  const { balance: _, ...unread } = someObservation({ head: headAt(height + 1) })
  const known = { observation: someObservation({ balance: 7n, balanceReadAt: height }) }
  expect(withKnownBalance(unread, known)).toMatchObject({ balance: 7n, balanceReadAt: height })
  expect(withKnownBalance({ ...unread, balance: 5n }, known).balance).toBe(5n)
  expect(withKnownBalance({ ...unread, nonce: 1 }, known).balance).toBeUndefined()
  const lagged = { ...known, observation: { ...known.observation, lagged: { balance: 7n, nonce: 0 } } }
  expect(withKnownBalance(unread, lagged).balance).toBeUndefined()
})
