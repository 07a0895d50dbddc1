// Mutants of how the service stands on its database: where a session is, whose schema and account it works on.
import type { Mutant } from './mutant.ts'

const known = 'src/store/postgres/known-server.ts'
const failover = 'test/store/postgres-failover.test.ts'
const events = 'test/store/postgres-events.test.ts'
const doubt = 'src/store/postgres/settle-doubt.ts'
const databaseFailures = 'test/http/server/database-failures.test.ts'
const standby = 'test/store/postgres-standby.test.ts'

export const ofGround: readonly Mutant[] = [
  {
    name: 'stay-on-the-server-left-behind',
    breaks: 'keeps sessions on the old server when the address leads to a promoted one',
    caughtBy: failover,
    expects: 'while the old primary and its sessions go on',
    edits: [
      { file: known, find: 'if (each.timeline < found.timeline) each.end()', put: 'if (each.timeline < 0) each.end()' },
    ],
  },
  {
    name: 'go-back-to-an-earlier-timeline',
    breaks: 'begins sessions on a server that a failover left behind',
    caughtBy: failover,
    expects: 'while the old primary and its sessions go on',
    edits: [{ file: known, find: 'found.timeline < identity.timeline', put: 'found.timeline < 0' }],
  },
  {
    name: 'take-any-cluster',
    breaks: 'goes on in another cluster when the address leads there',
    caughtBy: failover,
    expects: 'another cluster at the address',
    edits: [{ file: known, find: 'identity.system !== found.system', put: 'identity.system === ""' }],
  },
  {
    name: 'give-lost-ids-out-again',
    breaks: 'numbers events after a failover like those that it lost',
    caughtBy: failover,
    expects: 'while the old primary and its sessions go on',
    edits: [
      {
        file: 'src/store/postgres/settle-identity.ts',
        find: 'stored?.system !== system || stored.timeline !== timeline',
        put: 'stored?.system !== system',
      },
    ],
  },
  {
    name: 'prune-up-to-lost-events',
    breaks: 'takes the last id of a failover for the newest event, and prunes all that are older',
    caughtBy: events,
    expects: 'after a failover, and before the next event',
    edits: [
      {
        file: 'src/store/events/prune-events.ts',
        find: 'await lastEventUpTo(executor, await newestEvent(executor))',
        put: 'await newestEvent(executor)',
      },
    ],
  },
  {
    name: 'give-ids-of-a-restore-out-again',
    breaks: 'numbers events after the second restore of a dump like those after the first',
    caughtBy: events,
    expects: 'a backup that is put back twice',
    edits: [
      {
        file: 'src/store/postgres/settle-identity.ts',
        find: 'CASE WHEN timely > last_value',
        put: 'CASE WHEN timely < 0',
      },
    ],
  },
  {
    name: 'forget-which-changes-are-folded',
    breaks: 'gives the ids of changes of tallies out again that are folded, so that new changes never count',
    caughtBy: 'test/store/postgres-logical.test.ts',
    expects: 'sequences at their start are raised',
    edits: [{ file: 'src/store/postgres/raise-sequences.ts', find: 'namedElsewhere[name] ?? 0', put: '0' }],
  },
  {
    name: 'refuse-who-comes-from-a-replica-ahead',
    breaks: 'refuses an event that another replica shows already',
    caughtBy: events,
    expects: 'a reader that comes from a replica that is ahead',
    edits: [
      {
        file: 'src/http/events/resume-events.ts',
        find: 'place.id <= newest || place.id <= (await reads.newestGivenEvent())',
        put: 'place.id <= newest',
      },
    ],
  },
  {
    name: 'give-ids-of-a-dump-out-again',
    breaks: 'numbers events after a restore on the same server like those that the dump lacks',
    caughtBy: 'test/store/postgres-restore.test.ts',
    expects: 'a dump in another database',
    edits: [
      {
        file: 'src/store/postgres/settle-identity.ts',
        find: 'if (isPromoted || isRestored) await',
        put: 'if (isPromoted) await',
      },
    ],
  },
  {
    name: 'resume-at-a-lost-event',
    breaks: 'lets a reader go on after an event that a failover lost',
    caughtBy: failover,
    expects: 'while the old primary and its sessions go on',
    edits: [
      { file: 'src/store/events/read-events.ts', find: 'if (next - after < gapMin || ', put: 'if (next > after || ' },
    ],
  },
  {
    name: 'raise-epochs-without-locks',
    breaks: 'raises an epoch on a server that does not hold the locks',
    caughtBy: standby,
    expects: 'an epoch rises only where the locks are',
    edits: [
      {
        file: 'src/ownership/own-by-locks.ts',
        find: 'if (proof) await unit.proveLocks(proof)',
        put: 'if (proof === undefined) slotOf(relayer)',
      },
    ],
  },
  {
    name: 'take-any-session-of-the-number',
    breaks: 'takes a session of another server for its own that has the same number',
    caughtBy: standby,
    expects: 'an epoch rises only where the locks are',
    edits: [
      {
        file: 'src/store/relayers/prove-locks.ts',
        find: 'WHERE token.objsubid = 1 AND',
        put: 'WHERE token.objsubid = 1 OR',
      },
    ],
  },
  {
    name: 'find-one-lock-of-many',
    breaks: 'raises the epochs of relayers although another session has locked some of them',
    caughtBy: standby,
    expects: 'an epoch rises only where the locks are',
    edits: [
      {
        file: 'src/store/relayers/prove-locks.ts',
        find: 'if (found?.held === wanted.length) return',
        put: 'if ((found?.held ?? 0) > 0) return',
      },
    ],
  },
  {
    name: 'keep-locks-of-another-server',
    breaks: 'keeps a session of locks that the commits of its replica do not find',
    caughtBy: standby,
    expects: 'an epoch rises only where the locks are',
    edits: [
      {
        file: 'src/ownership/own-by-locks.ts',
        find: 'if (error instanceof LocksElsewhere) await session?.end()',
        put: 'if (error instanceof LocksElsewhere) session?.isAlive()',
      },
    ],
  },
  {
    name: 'lock-accounts-by-schema',
    breaks: 'lets two services of a database use the nonces of one account',
    caughtBy: 'test/store/postgres-locks.test.ts',
    expects: 'an account is one session’s in the whole database',
    edits: [
      {
        file: 'src/store/postgres/locks.ts',
        find: "hashtextextended('rescind ' ||",
        put: 'hashtextextended(current_schema() ||',
      },
    ],
  },
  {
    name: 'own-without-the-account',
    breaks: 'advances a relayer whose account another service of the database has',
    caughtBy: 'test/ownership/own-by-locks.test.ts',
    expects: 'a relayer whose account another service of the database has waits',
    edits: [
      {
        file: 'src/ownership/hold-slots.ts',
        find: 'accounts ? await accounts.take(next) : { own',
        put: 'accounts && (await accounts.take(next)).own.length < 0 ? { own: [], inUse: [] } : { own',
      },
    ],
  },
  {
    name: 'repeatable-in-doubt',
    breaks: 'answers an unknown outcome with a status that proxies repeat',
    caughtBy: 'test/proxies/repeating-proxy.test.ts',
    expects: 'is one transaction: hidden',
    edits: [
      { file: 'src/domain/errors.ts', find: 'OUTCOME_UNKNOWN: { status: 500', put: 'OUTCOME_UNKNOWN: { status: 503' },
    ],
  },
  {
    name: 'take-under-way-for-aborted',
    breaks: 'says that nothing is stored while the COMMIT is on its way',
    caughtBy: 'test/proxies/repeating-proxy.test.ts',
    expects: 'is one transaction: late',
    edits: [
      {
        file: doubt,
        find: "if (status === 'in progress') return undefined",
        put: "if (status === 'in progress') return 'aborted'",
      },
    ],
  },
  {
    name: 'believe-a-crashed-server',
    breaks: 'takes the transaction of another, with the same id after a crash, for its own',
    caughtBy: databaseFailures,
    expects: 'a server that crashed',
    edits: [
      {
        file: doubt,
        find: 'server.placeOf(session.client) !== server.placeOf(client)',
        put: 'server.placeOf(client) === undefined',
      },
    ],
  },
  {
    name: 'retry-whatever-was-done',
    breaks: 'says when to repeat a change that may have been carried out',
    caughtBy: 'test/openapi/unknown-outcomes.test.ts',
    expects: 'an outcome that is unknown is 500',
    edits: [
      {
        file: 'src/http/server/errors.ts',
        find: 'status === 500 ? isRepeatable : status > 500',
        put: 'status >= 500',
      },
    ],
  },
  {
    name: 'nothing-stored-after-the-commit',
    breaks: 'answers a failed read after the commit as if nothing were stored',
    caughtBy: 'test/openapi/unknown-outcomes.test.ts',
    expects: 'an outcome that is unknown is 500',
    edits: [
      {
        file: 'src/commands/after-commit.ts',
        find: "new RescindError('OUTCOME_UNKNOWN'",
        put: "new RescindError('DATABASE_UNAVAILABLE'",
      },
    ],
  },
]
