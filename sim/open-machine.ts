// What the processes of the service share: the disk, the clock, the line between replicas, and the checks of their commits.
import type { Hash } from '../src/domain/ids.ts'
import { dice as openDice } from '../tooling/dice.ts'
import { watchOwners } from './check/owners.ts'
import { watchRetention } from './check/retention.ts'
import type { Disk } from './process/database.ts'
import type { Machine } from './process/engine.ts'
import { openHintLine } from './process/hints.ts'
import type { Instance } from './process/instance.ts'
import { openLockServer } from './process/locks.ts'
import type { Drawn } from './scenario/features.ts'
import type { World } from './world.ts'

interface Parts
  extends Pick<World, 'scenario' | 'timeline' | 'history' | 'network' | 'blocks' | 'nodes' | 'state' | 'dice'> {
  readonly marks: Pick<World['marks'], 'logged'>
  readonly seed: number
  readonly disk: Disk
  readonly drawn: Drawn
  /** The process has committed, and changed this many rows. */
  committed(instance: Instance, changed: number): void
  /** The owner of the relayer reads its rows. */
  reads(instance: Instance, relayer: string): void
}

export function openMachine(parts: Parts): Machine {
  const { seed, disk, drawn, scenario, timeline, history, marks, network, blocks, state, dice } = parts
  const { replicas } = scenario
  const locks = replicas && openLockServer(timeline, dice, history)
  const sharing = locks && { locks, hintsOf: openHintLine(timeline, dice, () => state.faulty) }
  const owners = watchOwners(history.fail, timeline.now)
  return {
    scenario,
    timeline,
    history,
    marks,
    network,
    ids: openDice(seed, 'ids'),
    disk,
    skewMs: () => state.skewMs,
    policies: () => state.policies,
    presign: () => state.presign,
    isByTips: () => state.isByTips,
    sharing,
    owners,
    signerBehavior: () => state.signerBehavior,
    keyCalls: openDice(seed, 'keyCalls'),
    isAbandoned(shown, expected) {
      const [left, kept] = [blocks.byHash(shown as Hash), blocks.byHash(expected as Hash)]
      return left !== undefined && kept !== undefined && !blocks.isCanonical(left) && blocks.isCanonical(kept)
    },
    custody: scenario.custody && {
      ...{ kind: scenario.custody.kind, dice: openDice(seed, 'custodyCalls'), timeline },
      ...{ isCalm: () => !state.faulty, approvals: new Map() },
    },
    witness: {
      retention: openDice(seed, 'retention').chance(drawn.retention) ? watchRetention(disk, history.fail) : undefined,
      nextPosition: () => {
        state.position += 1
        return state.position
      },
      committed(instance, changed, acts) {
        parts.committed(instance, changed)
        owners.committed(instance, acts)
      },
      refused: owners.refused,
      reads(instance, relayer) {
        owners.reads(instance, relayer)
        parts.reads(instance, relayer)
      },
      mayWrite: owners.mayWrite,
      session: (instance) => locks?.sessionOf(instance),
      flight() {
        if (!replicas || !state.faulty || !dice.chance(replicas.slowUnits)) return undefined
        return { ms: dice.pick([5, 50, 500, 6_000]), isPipelined: dice.chance(0.5) }
      },
    },
  }
}
