// Mutants of the transactions that relayers share on PostgreSQL, and of what replicas of an earlier version write there. The
// simulator runs on SQLite, so a test notices them.
import type { Mutant } from './mutant.ts'

const caughtBy = 'test/store/postgres-shared.test.ts'
const besideEarlier = 'test/store/postgres-earlier-replicas.test.ts'

export const ofPostgres: readonly Mutant[] = [
  {
    name: 'fail-reads-beside-a-migration',
    breaks: 'goes on reading on connections whose plans a migration made useless',
    caughtBy: 'test/store/postgres-later-release.test.ts',
    expects: 'reads and writes go on',
    edits: [
      {
        file: 'src/store/postgres/snapshot.ts',
        find: "results.some((each) => each.status === 'rejected' && isPlanOutdated(each.reason))",
        put: "results.some((each) => each.status === 'rejected' && each.reason === undefined)",
      },
    ],
  },
  {
    name: 'wait-with-locks-in-hand',
    breaks: 'waits for a relayer that another process has locked, while it holds the locks of others',
    caughtBy,
    expects: 'a relayer that another process has locked waits alone',
    edits: [
      { file: 'src/store/relayers/relayers.ts', find: '.forNoKeyUpdate().skipLocked(),', put: '.forNoKeyUpdate(),' },
    ],
  },
  {
    name: 'wait-in-a-shared-place',
    breaks: 'waits for the lock of a single relayer where a transaction of several would have its place',
    caughtBy,
    expects: 'relayers that another process has locked, one after the other',
    edits: [
      {
        file: 'src/store/postgres/commit-group.ts',
        find: 'isShared ? lockFreeRelayers',
        put: 'relayers.size > 1 ? lockFreeRelayers',
      },
      {
        file: 'src/store/postgres/commit-group.ts',
        find: 'const unlocked = isShared ?',
        put: 'const unlocked = relayers.size > 1 ?',
      },
    ],
  },
  {
    name: 'count-before-the-lock',
    breaks: 'reads ahead how many are pending, and misses what the holder of the lock stores',
    caughtBy,
    expects: 'how many are pending is read under the lock, also ahead',
    edits: [
      {
        file: 'src/store/postgres/commit-group.ts',
        find: '    counted.size > 0 ? countOfEach(executor, [...counted]) : undefined,',
        put: '    early,',
      },
      {
        file: 'src/store/postgres/commit-group.ts',
        find: '  const [rows, transactions, claims, counts, unfolded] = await Promise.all([',
        put: `  const early = counted.size > 0 ? countOfEach(executor, [...counted]) : undefined
  const [rows, transactions, claims, counts, unfolded] = await Promise.all([`,
      },
    ],
  },
  {
    name: 'long-queue-first',
    breaks: 'gives a relayer with a long queue every transaction',
    caughtBy,
    expects: 'relayers with long queues leave another its turn',
    edits: [
      {
        file: 'src/store/postgres/waiting-units.ts',
        find: '    waiting.delete(relayer)\n    if (units.length > 0) waiting.set(relayer, units)',
        put: '    if (units.length === 0) waiting.delete(relayer)',
      },
    ],
  },
  {
    name: 'fail-with-a-neighbor',
    breaks: 'fails the units of a relayer because a unit of another one failed',
    caughtBy,
    expects: 'a unit that fails, before or after it wrote',
    edits: [
      {
        file: 'src/store/postgres/commit-group.ts',
        find: 'if (!again) return',
        put: 'if (!again || group.isShared) return',
      },
    ],
  },
  {
    name: 'share-with-a-long-unit',
    breaks: 'lets relayers wait for a unit that writes thousands of rows',
    caughtBy,
    expects: 'what may write thousands of rows has a transaction of its own',
    edits: [
      {
        file: 'src/store/postgres/waiting-units.ts',
        find: ' || units.some(({ ahead }) => ahead.long || ahead.registry)',
        put: '',
      },
    ],
  },
  {
    name: 'take-a-changed-relayer-for-counted',
    breaks:
      'goes by the buckets of a relayer although an earlier version changed its transactions while they were counted',
    caughtBy: 'test/store/postgres-buckets.test.ts',
    expects: 'what a replica of an earlier version changes meanwhile leaves the relayer uncounted',
    edits: [
      {
        file: 'src/store/transactions/count-buckets.ts',
        find: ".where('changes', '=', p.changes)",
        put: ".where('changes', '>=', p.changes)",
      },
    ],
  },
  {
    name: 'count-what-is-still-to-be-added',
    breaks: 'counts rows of its own commit, and adds their changes once more at its end',
    caughtBy: 'test/store/deep-pages.test.ts',
    expects: 'pages are the rows in their order, after any sequence of writes',
    edits: [{ file: 'src/store/transactions/count-buckets.ts', find: '  await tallies.writeBuckets()\n', put: '' }],
  },
  {
    name: 'never-fold-tallies',
    breaks: 'lets the changes of the counts pile up, and each read adds all of them',
    caughtBy: 'test/store/postgres-tally-changes.test.ts',
    expects: 'sends leave few versions of tallies',
    edits: [
      {
        file: 'src/store/transactions/tally-changes.ts',
        find: 'changes > unfoldedMax',
        put: 'changes < -unfoldedMax',
      },
    ],
  },
  {
    name: 'read-over-what-is-folded',
    breaks: 'begins each read of the counts at the first fold, among the dead rows of all later ones',
    caughtBy: 'test/store/postgres-tally-changes.test.ts',
    expects: 'sends leave few versions of tallies',
    edits: [
      {
        file: 'src/store/transactions/tally-changes.ts',
        find: 'through: sql`excluded.through`',
        put: 'through: sql`tally_folds.through`',
      },
    ],
  },
  {
    name: 'reserve-what-the-holder-took',
    breaks: 'reserves by the transactions as they were before the wait for the relayer, and gives a sequence out twice',
    caughtBy: besideEarlier,
    expects: 'a unit without the lock reserves after the transactions of the holder for which it waits',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: 'const [, row] = await Promise.all([executor.all(locked, { id }), first(executor, advanceBy, { id, count })])',
        put: 'const row = await first(executor, advanceBy, { id, count })',
      },
    ],
  },
  {
    name: 'check-history-up-to-before-the-wait',
    breaks: 'begins a history check before the transactions of the holder for which the new owner waited',
    caughtBy: besideEarlier,
    expects: 'a unit without the lock reserves after the transactions of the holder for which it waits',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: 'const [, row] = await Promise.all([executor.all(locked, { id }), first(executor, raiseEpoch, { id })])',
        put: 'const row = await first(executor, raiseEpoch, { id })',
      },
    ],
  },
  {
    name: 'let-an-earlier-release-double-a-sequence',
    breaks: 'refuses the sends of a replica of the release before, whose row lags behind the newest transaction by one',
    caughtBy: besideEarlier,
    expects: 'sends of both releases in turn get rising sequences without a gap',
    edits: [
      { file: 'src/store/migrations/sequences.ts', find: 'IF NEW.sequence <= newest', put: 'IF NEW.sequence < newest' },
    ],
  },
  {
    name: 'give-a-removed-sequence-again',
    breaks: 'gives the sequence of a removed transaction to a later one',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'a removed transaction leaves its sequence to no later one',
    edits: [
      {
        file: 'src/store/transactions/prune-ended.ts',
        find: '  await keepFromReuse(executor, relayerId, newest)\n',
        put: '',
      },
      {
        file: 'src/store/transactions/prune-ended.ts',
        find: "import { keepFromReuse } from '../relayers/last-sequence.ts'\n",
        put: '',
      },
    ],
  },
  {
    name: 'give-an-unused-sequence-again',
    breaks: 'gives sequences out again that a unit has reserved and stored nothing with',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'places taken together lie next to each other',
    edits: [
      { file: 'src/store/relayers/remember-row.ts', find: 'known && last > stored', put: 'known && last < stored' },
    ],
  },
]
