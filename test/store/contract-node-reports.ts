// What replicas see of their nodes: a row a replica, replaced by each of its writes, until it is removed or old.
import { expect, test } from 'vitest'
import type { NodeReport } from '../../src/domain/node-report.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { someNode } from '../domain/some-node.ts'
import type { OpenStore } from './contract.ts'

const report = (replica: string, after: number): NodeReport => ({
  replica,
  readAt: now + after,
  networks: [{ network: 'one', chainId: 1, nodes: [someNode({ host: `host-${after}.example` })] }],
})
const record = (store: Store, ...reports: readonly NodeReport[]) =>
  store.commit(async (session) => {
    for (const each of reports) await session.recordNodes(each)
  })

export function nodeReportContract(open: OpenStore): void {
  test('each replica has its last report', async () => {
    await using under = await open()
    const { store } = under
    expect(await store.reads.nodeReports()).toEqual([])
    await record(store, report('b', 1), report('a', 2))
    await record(store, report('b', 3))
    expect(await store.reads.nodeReports()).toEqual([report('a', 2), report('b', 3)])
  })

  test('a report is read back as it was, whatever a node says', async () => {
    await using under = await open()
    const { store } = under
    const odd = someNode({
      client: `\u0000"'\\ud800${'é'.repeat(40)}`,
      lastFailure: { at: now, method: 'eth_call', kind: 'unanswered', status: 503, words: 'a\u0000b' },
      reasons: [{ condition: 'no_answer', facts: { inRow: 3, restsUntil: now + 1 } }],
    })
    const said: NodeReport = { replica: 'a', readAt: now, networks: [{ network: 'n', chainId: 2 ** 45, nodes: [odd] }] }
    await record(store, said)
    expect(await store.reads.nodeReports()).toEqual([said])
  })

  test('a replica that stops removes its report, and those of replicas that died are pruned by their age', async () => {
    await using under = await open()
    const { store } = under
    await record(store, report('a', 1), report('b', 2), report('c', 3))
    await store.commit((session) => session.removeNodes('b'))
    await store.commit((session) => session.pruneNodes(now + 3))
    expect(await store.reads.nodeReports()).toEqual([report('c', 3)])
  })
}
