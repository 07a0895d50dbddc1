// An endpoint as a replica may see it: in use, unless a test says otherwise.
import type { NodeView } from '../../src/domain/node-report.ts'
import { now } from './some.ts'

export function someNode(overrides: Partial<NodeView> = {}): NodeView {
  return {
    endpoint: 0,
    host: 'one.example',
    weight: 100,
    client: 'Geth/v1.17.0',
    chainId: 1,
    head: { number: 100, madeAt: now - 5_000, readAt: now, behind: 0 },
    calls: { since: now - 3_600_000, total: 10, rpcErrors: 1, unanswered: 0, unsent: 0 },
    latency: { p50Ms: 12, p95Ms: 80, calls: 10 },
    reasons: [],
    ...overrides,
  }
}
