// The row of a replica's view of its nodes: when it is written, and that it goes with the replica.
import { expect, test } from 'vitest'
import type { NodeReport, NodeView } from '../../src/domain/node-report.ts'
import { type NodesToRecord, recordNodes } from '../../src/reports/record-nodes.ts'
import type { Session } from '../../src/store/store.ts'
import { someNode } from '../domain/some-node.ts'
import { manualClock } from '../support/manual-clock.ts'
import { quiescence } from '../support/settled.ts'

function recording() {
  const clock = manualClock()
  const rows = new Map<string, NodeReport>()
  const done: string[] = []
  let looks = 0
  let nodes: readonly NodeView[] = [someNode()]
  let fails = false
  let toRecord: readonly NodesToRecord[] = [
    {
      network: 'one',
      chainId: 1,
      chain: {
        nodes: () => nodes,
        async lookAtNodes() {
          looks += 1
          // A node that hangs for ever.
          await new Promise(() => undefined)
        },
      },
    },
  ]
  const session: Pick<Session, 'recordNodes' | 'removeNodes' | 'pruneNodes'> = {
    async recordNodes(report) {
      done.push('record')
      rows.set(report.replica, report)
    },
    async removeNodes(replica) {
      done.push('remove')
      rows.delete(replica)
    },
    async pruneNodes() {
      done.push('prune')
    },
  }
  const commit = async <T>(unit: (of: Session) => Promise<T>) => {
    if (fails) throw new Error('the disk is full')
    return unit(session as Session)
  }
  const log: string[] = []
  const line = (_: object, text: string) => void log.push(text)
  const logger = {
    debug: () => undefined,
    info: line,
    warn: line,
    error: line,
    isLevelEnabled: () => true,
    child: () => logger,
  }
  const running = recordNodes({ store: { commit }, clock, logger, replica: 'a', toRecord: () => toRecord })
  return {
    ...{ clock, rows, log, running },
    taken: () => done.splice(0),
    looks: () => looks,
    see(next: readonly NodeView[]) {
      nodes = next
    },
    useNone() {
      toRecord = []
    },
    setFails(next: boolean) {
      fails = next
    },
    async pass(seconds: number) {
      for (let count = 0; count < seconds; count += 1) {
        await quiescence()
        clock.advance(1_000)
      }
      await quiescence()
    },
  }
}

test('it writes after two seconds, then every ten, and an unchanged row after thirty', async () => {
  const { pass, taken, see, rows, running, looks } = recording()
  await pass(1)
  expect(taken()).toEqual([])
  await pass(1)
  expect(taken()).toEqual(['record', 'prune'])
  await pass(20)
  expect(taken()).toEqual([])
  await pass(12)
  expect(taken()).toEqual(['record'])
  see([someNode({ host: 'two.example' })])
  await pass(10)
  expect(taken()).toEqual(['record'])
  expect(rows.get('a')?.networks).toEqual([{ network: 'one', chainId: 1, nodes: [someNode({ host: 'two.example' })] }])
  expect(looks()).toBeGreaterThan(3)
  await running[Symbol.asyncDispose]()
  expect([taken(), rows.size]).toEqual([['remove'], 0])
})

test('a replica that advances nothing writes nothing, and removes what it wrote', async () => {
  const { pass, taken, useNone, running } = recording()
  await pass(2)
  useNone()
  taken()
  await pass(40)
  expect(taken()).toEqual(['remove'])
  await running[Symbol.asyncDispose]()
  expect(taken()).toEqual([])
})

test('a store that fails is logged once, and tried again', async () => {
  const { pass, taken, setFails, log, running } = recording()
  setFails(true)
  await pass(24)
  expect(log).toEqual(['what this replica sees of its nodes could not be stored; trying again'])
  setFails(false)
  await pass(12)
  expect(taken()).toEqual(['record', 'prune'])
  expect(log[1]).toBe('what this replica sees of its nodes is stored again')
  await running[Symbol.asyncDispose]()
})
