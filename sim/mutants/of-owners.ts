// Mutants of owners: epochs, leases, locks and fences, also where relayers share transactions on PostgreSQL.
import type { Mutant } from './mutant.ts'

const caughtBy = 'test/store/postgres-shared.test.ts'
const ofSequences = 'test/store/postgres-sequences.test.ts'

export const ofOwners: readonly Mutant[] = [
  {
    name: 'skip-the-fence',
    breaks: 'lets an owner write who has been replaced',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: '  throw new OwnershipLost(`epoch',
        put: '  if (id) return\n  throw new OwnershipLost(`epoch',
      },
    ],
  },
  {
    name: 'same-epoch-again',
    breaks: 'takes a relayer over without raising its epoch',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: 'epoch: sql<number>`epoch + 1`',
        put: 'epoch: sql<number>`epoch + 0`',
      },
    ],
  },
  {
    name: 'any-later-epoch',
    breaks: 'takes the epoch of a later owner for its own',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: ".where('epoch', '=', p.epoch)",
        put: ".where('epoch', '>=', p.epoch)",
      },
    ],
  },
  {
    name: 'fence-apart',
    breaks: 'checks the epoch before the unit that writes, and not in it',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: '  return context.store.commit(async (session) => {\n    await fence(session, ownership)\n',
        put: '  await context.store.commit((session) => fence(session, ownership), ownership.relayer)\n  return context.store.commit(async (session) => {\n',
      },
      {
        file: 'src/engine/perform.ts',
        find: '  return await store.commit(\n    async (session) => {\n      await fence(session, ownership)\n',
        put: '  await store.commit((session) => fence(session, ownership), ownership.relayer)\n  return await store.commit(\n    async (session) => {\n',
      },
    ],
  },
  {
    name: 'believe-in-a-lost-lease',
    breaks: 'goes on broadcasting when its lease may be over',
    caughtBy: 'test/ownership/own-by-locks.test.ts',
    expects: 'a session that is lost takes everything with it at once',
    edits: [
      {
        file: 'src/ownership/own-by-locks.ts',
        find: 'return () => !session?.isAlive()',
        put: 'return () => session === undefined',
      },
    ],
  },
  {
    name: 'unlock-before-the-last-step',
    breaks: 'gives a lock up while the step under way still writes',
    caughtBy: 'test/ownership/own-by-locks.test.ts',
    expects: 'a lock is given up when the last step is over',
    edits: [
      {
        file: 'src/ownership/hold-slots.ts',
        find: '      await waitBriefly(clock, lastStepMs, () => Promise.all(relayers.map(holdings.release)))\n',
        put: '      void Promise.all(relayers.map(holdings.release))\n',
      },
    ],
  },
  {
    name: 'read-before-acquiring',
    breaks: 'begins with what it read before its epoch began',
    expects: 'before it has acquired it',
    edits: [
      {
        file: 'src/ownership/own-by-locks.ts',
        find: '      return await store.commit(async (unit) => {',
        put: '      ;((globalThis as any).early ??= new Map()).set(relayer, await store.reads.work(relayer))\n      return await store.commit(async (unit) => {',
      },
      {
        file: 'src/engine/step.ts',
        find: '  const stored = await readRows(earlier && withAnswered(earlier, underWay.broadcasts.takeAnswered()))\n',
        put: '  const early: Awaited<ReturnType<typeof context.store.reads.work>> | undefined = (globalThis as any).early?.get(ownership.relayer)\n  ;(globalThis as any).early?.delete(ownership.relayer)\n  const stored = early ?? (await context.store.reads.work(ownership.relayer))\n',
      },
    ],
  },
  {
    name: 'lock-of-somebody-else',
    breaks: 'takes a lock for its own that another holds',
    expects: 'without its lock',
    edits: [
      {
        file: 'src/ownership/hold-slots.ts',
        find: 'await session.lock([...new Set([...take, ...orphans])])',
        put: 'await session.lock([...new Set([...take, ...orphans])]).then(() => [...new Set([...take, ...orphans])])',
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
    name: 'reserve-what-the-holder-took',
    breaks: 'reserves by the transactions as they were before the wait for the relayer, and gives a sequence out twice',
    caughtBy: ofSequences,
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
    name: 'forget-pools-of-an-unfinished-check',
    breaks: 'reads no pool again after a history check that ended with the last transaction of the queue',
    caughtBy: 'test/engine/lost-history.test.ts',
    expects: 'the next send reads the pool',
    edits: [
      {
        file: 'src/engine/step.ts',
        find: "carried.lostHistory !== 'none' && { pool: true }",
        put: "carried.lostHistory === 'all' && { pool: true }",
      },
    ],
  },
  {
    name: 'check-history-up-to-before-the-wait',
    breaks: 'begins a history check before the transactions of the holder for which the new owner waited',
    caughtBy: ofSequences,
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
    name: 'give-a-removed-sequence-again',
    breaks: 'gives the sequence of a removed transaction to a later one',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'a removed transaction leaves its sequence to no later one',
    edits: [
      {
        file: 'src/store/transactions/written/prune-ended.ts',
        find: '  await keepFromReuse(executor, relayerId, newest)\n',
        put: '',
      },
      {
        file: 'src/store/transactions/written/prune-ended.ts',
        find: "import { keepFromReuse } from '../../relayers/last-sequence.ts'\n",
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
