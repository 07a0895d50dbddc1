// What befalls the replicas and their database, one after the other and sometimes at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../tooling/client.ts'
import type { Dice } from '../../../tooling/dice.ts'
import type { Service } from '../../../tooling/service.ts'
import { type Cluster, type Replica, signal, startAgain } from './cluster.ts'

const kinds = {
  /** kill -9, and a new start after a while. */
  kill: 3,
  /** SIGTERM, and a new start after a while. */
  term: 2,
  /** SIGSTOP for longer than the lease, and SIGCONT. */
  stop: 3,
  /** Nothing passes between replica and database for longer than the lease. */
  freeze: 3,
  /** Every connection to the database breaks. */
  cut: 2,
  /** Every connection to the database falls silent for good; new ones can be made. */
  forget: 2,
  /** The database restarts in order. */
  restart: 1,
  /** The database dies at once and comes back. */
  crash: 1,
  /** A switchover: the primary becomes a standby, the standby the primary, and the address of the database moves. */
  move: 1,
  /** The address leads to the standby for a while, and connections break. */
  standby: 1,
} as const
export type FaultKind = keyof typeof kinds
export const faultKinds = Object.keys(kinds) as readonly FaultKind[]

export interface Fault {
  readonly kind: FaultKind
  /** Whom it befell; undefined for the database. */
  readonly replica?: string
  /** Milliseconds since 1970. */
  readonly from: number
  to: number
  /** How a SIGTERM was answered, where that is worth a word. */
  remark?: string
}

const leaseMs = 3_500
const drainMaxMs = 15_000

/** Befalls them until `isOver`, and then leaves all of them as they were. */
export async function befall(
  cluster: Cluster,
  chance: Dice,
  isOver: () => boolean,
  report: (fault: Fault) => void,
): Promise<readonly Fault[]> {
  const faults: Fault[] = []
  const well = new Set(cluster.replicas)
  const underWay = new Set<Promise<void>>()
  let databaseIsWell = true

  async function suffer(fault: Fault, act: () => Promise<void>): Promise<void> {
    faults.push(fault)
    await act()
    fault.to = Date.now()
    report(fault)
  }

  /** Each kind once, in any order, before chance decides. */
  const due = shuffled(faultKinds, chance)

  function begin(): Promise<void> | undefined {
    const kind = due[0] ?? chance.weighted(kinds)
    if (isOfDatabase(kind)) {
      if (!databaseIsWell) return undefined
      databaseIsWell = false
      due.shift()
      const fault = { kind, from: Date.now(), to: Number.POSITIVE_INFINITY }
      return suffer(fault, () => harmDatabase(cluster, kind, chance.below(1_500))).finally(() => {
        databaseIsWell = true
      })
    }
    if (well.size === 0) return undefined
    due.shift()
    const replica = chance.pick([...well])
    well.delete(replica)
    const fault: Harm = { kind, replica: replica.name, from: Date.now(), to: Number.POSITIVE_INFINITY }
    return suffer(fault, () => harm(replica, fault, chance)).finally(() => well.add(replica))
  }

  while (!isOver() || due.length > 0) {
    await sleep(chance.between(200, 2_500))
    const fault = begin()
    if (!fault) continue
    const ended = fault.finally(() => underWay.delete(ended))
    underWay.add(ended)
    // Most come alone; some while another lasts.
    if (chance.chance(0.7)) await Promise.all(underWay)
  }
  await Promise.all(underWay)
  return faults
}

type Harm = Fault & { readonly kind: Exclude<FaultKind, FaultOfDatabase> }

async function harm(replica: Replica, fault: Harm, chance: Dice): Promise<void> {
  const { service, gate } = replica
  switch (fault.kind) {
    case 'kill':
      await service.kill9()
      await sleep(chance.below(leaseMs + 3_000))
      return startAgain(replica)
    case 'term':
      // Where the database is away it ends as it can; one that does not end at all is killed.
      await Promise.race([drain(service, fault), sleep(drainMaxMs)])
      if (fault.remark === undefined) fault.remark = 'it did not end'
      await service.kill9()
      await sleep(chance.below(3_000))
      return startAgain(replica)
    case 'stop':
      signal(service, 'SIGSTOP')
      await sleep(leaseMs + chance.between(500, 4_000))
      signal(service, 'SIGCONT')
      return
    case 'freeze':
      gate.freeze()
      await sleep(leaseMs + chance.between(500, 4_000))
      gate.thaw()
      return
    case 'cut':
      gate.cut()
      return
    case 'forget':
      gate.forget()
  }
}

async function drain(service: Service, fault: Fault): Promise<void> {
  fault.remark = await service.stop().then(
    () => `it drained in ${Date.now() - fault.from} ms`,
    (error: Error) => `it ended badly: ${error.message.split('\n')[0]}`,
  )
}

async function harmDatabase(
  { postgres, pair, replicas }: Cluster,
  kind: FaultOfDatabase,
  awayMs: number,
): Promise<void> {
  if (kind === 'move') return pair?.switchOver(awayMs)
  if (kind === 'standby') {
    // Sessions that are open would not notice.
    return pair?.leadAstray(awayMs, () => {
      for (const { gate } of replicas) gate.cut()
    })
  }
  if (kind === 'restart') await postgres.stop()
  else await postgres.kill9()
  await sleep(awayMs)
  const start = () => postgres.restart().then(() => true)
  await until(start, { limitMs: 60_000, what: 'the database to start' })
}

const ofDatabase = ['restart', 'crash', 'move', 'standby'] as const
type FaultOfDatabase = (typeof ofDatabase)[number]

function isOfDatabase(kind: FaultKind): kind is FaultOfDatabase {
  return (ofDatabase as readonly FaultKind[]).includes(kind)
}

function shuffled<T>(items: readonly T[], chance: Dice): T[] {
  const left = [...items]
  return items.map(() => left.splice(chance.below(left.length), 1)[0] as T)
}
