// Loaded before the service (node --import): it prunes each two seconds, so that a storm meets pruning between any two faults.
import { put } from '../../../sim/mutants/substitute.ts'

put('prune-often', [
  { file: 'src/retention/prune-events.ts', find: 'const pruneEveryMs = 60_000', put: 'const pruneEveryMs = 2_000' },
])
