// A replica of the release before beside one of this release, on one database: a deployment replaces replicas one by one. Both
// take requests for every relayer, and each is killed in turn, so that either advances what the other began.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getAddress, toHex } from 'viem'
import { expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { type CancellationView, until } from '../../tooling/client.ts'
import { type Mined, minedFrom } from '../../tooling/ledger.ts'
import { openReplicas, type Replica, type Replicas } from '../../tooling/replicas.ts'
import { isSkipped } from '../support/is-skipped.ts'

/** The commit of the release before. */
const released = 'c8171051'
const root = fileURLToPath(new URL('../..', import.meta.url))

const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root, maxBuffer: 256 * 2 ** 20 })
const holdsRelease = git('cat-file', '-e', `${released}^{commit}`).status === 0
if (!holdsRelease)
  process.stderr.write(`skipped: git does not hold ${released}, the release before (a shallow clone?)\n`)

const ids = ['one', 'two', 'three', 'four']

/** The folder with the sources of the release before. */
function extractRelease(disposal: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'rescind-release-'))
  disposal.defer(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'release'))
  const { stdout } = git('archive', released, 'src', 'package.json')
  const { status, stderr } = spawnSync('tar', ['-x', '-C', join(folder, 'release')], { input: stdout })
  if (status !== 0) throw new Error(`tar: ${stderr}`)
  symlinkSync(join(root, 'node_modules'), join(folder, 'release', 'node_modules'))
  return join(folder, 'release')
}

interface Payment {
  readonly relayer: string
  readonly id: string
  readonly to: string
  /** `unknown`: the DELETE had no answer. */
  readonly isCanceled: boolean | 'unknown'
}

/**
 * The answer of the first that gives one. Connections of the release before keep plans from before the migration
 * ("cached plan must not change result type"), so its requests may fail, and its relayers stand still until it is replaced.
 */
async function fromEither<T>(
  replicas: readonly Replica[],
  request: (one: Replica) => Promise<T>,
): Promise<T | undefined> {
  for (const each of replicas) {
    try {
      return await request(each)
    } catch (error) {
      if (each.name !== 'before') throw error
    }
  }
  return undefined
}

/** Each to a receiver of its own, so that the chain shows which was executed. */
function openPayments() {
  const payments: Payment[] = []
  async function pay(through: readonly Replica[], relayer: string): Promise<Payment | undefined> {
    const to = getAddress(toHex(0x1000 + payments.length, { size: 20 }))
    const body = { to, value: '1', gas_limit: 21_000, speed: 'average' }
    const sent = await fromEither(through, ({ client }) => client.send(relayer, body))
    if (!sent) return undefined
    const payment: Payment = { relayer, id: sent.id, to, isCanceled: false }
    payments.push(payment)
    return payment
  }
  async function cancel(through: readonly Replica[], payment: Payment): Promise<void> {
    const canceled = await fromEither(through, ({ client }) => client.cancel(payment.relayer, payment.id))
    payments[payments.indexOf(payment)] = { ...payment, isCanceled: canceled ? true : 'unknown' }
  }
  return { payments, pay, cancel }
}

/** Mines until nothing is open. */
async function settle(place: Replicas): Promise<void> {
  let open = 0
  await until(
    async () => {
      await place.node.mine()
      const [row] = await place.query<{ n: number }>('SELECT count(*) AS n FROM transactions WHERE open = 1')
      open = Number(row?.n)
      return open === 0
    },
    { everyMs: 100, limitMs: 60_000, what: () => `nothing to be open; ${open} are` },
  )
}

/** By the chain alone. */
function rightVerdict({ to }: Payment, mined: readonly Mined[]): Pick<CancellationView, 'final' | 'safe_to_retry'> {
  return { final: true, safe_to_retry: !mined.some((each) => getAddress(each.to) === to) }
}

/** Each payment has the end that the chain shows, and none was executed twice. */
async function demandRightVerdicts(place: Replicas, { client }: Replica, payments: readonly Payment[]): Promise<void> {
  for (const relayer of ids) {
    const mined = await minedFrom(place.node, devAccount(ids.indexOf(relayer)).address)
    expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, nonce) => nonce))
    for (const payment of payments.filter((each) => each.relayer === relayer)) {
      const executed = mined.filter(({ to }) => getAddress(to) === payment.to).length
      expect(executed).toBeLessThanOrEqual(1)
      const { status } = await client.get(relayer, payment.id)
      expect(status).toBe(executed === 1 ? 'confirmed' : 'canceled')
      if (payment.isCanceled === false) expect(executed).toBe(1)
      if (payment.isCanceled === true)
        expect(await client.cancellation(relayer, payment.id)).toMatchObject(rightVerdict(payment, mined))
    }
  }
}

test.skipIf(isSkipped(!holdsRelease))(
  'a replica of the release before and one of this release take each other’s work over, and every verdict is right',
  async () => {
    await using disposal = new AsyncDisposableStack()
    const main = [join(extractRelease(disposal), 'src/main.ts')] as const
    const place = disposal.use(
      await openReplicas({
        relayers: ids.map((id, index) => ({ id, privateKey: devAccount(index).key, policies: { max_in_flight: 4 } })),
      }),
    )
    const { payments, pay, cancel } = openPayments()
    /** A few in flight and a few in the queue, and cancellations of both, half of them by another replica than the send. */
    const work = async (first: Replica, second = first) => {
      for (const relayer of ids) {
        for (let number = 0; number < 6; number += 1) {
          const payment = await pay(number % 2 === 0 ? [first, second] : [second, first], relayer)
          if (payment && number % 3 !== 1) await cancel([second, first], payment)
        }
      }
    }

    const before = await place.add('before', { main })
    await place.shared({ before: 4 })
    await work(before)
    const after = await place.add('after')
    await place.shared({ before: 2, after: 2 })
    await work(before, after)
    await place.node.mine()
    await work(after, before)

    await after.service.kill9()
    await place.shared({ before: 4 })
    await work(before)
    await place.node.mine()
    await after.service.restart()
    await place.shared({ before: 2, after: 2 })
    await work(after, before)

    // It does not start again on a database of this release, and runs on there until it is replaced.
    await before.service.kill9()
    await place.shared({ after: 4 })
    await work(after)
    await settle(place)
    expect(payments.length).toBeGreaterThan(100)
    await demandRightVerdicts(place, after, payments)
    await after.service.stop()
  },
  300_000,
)
