// Mutants of broadcasts: the outcome of each, the answers of nodes, and the record before them.
import type { Mutant } from './mutant.ts'

export const ofSending: readonly Mutant[] = [
  {
    name: 'free-nonce-on-timeout',
    breaks: 'takes a time-out for "not sent", and gives the nonce to somebody else',
    with: ['doubtfulSends'],
    expects: 'both reached a node',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: 'return { kind: answer.kind, message: answer.message }',
        put: "return { kind: 'unsent', message: answer.message }",
      },
    ],
  },
  {
    name: 'send-before-recording',
    breaks: 'broadcasts bytes, and records them afterwards',
    expects: 'that are not recorded',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: '  return context.store.commit(async (session) => {',
        put: "  await context.chainOf(work.relayer).broadcast(signed.flatMap(({ attempt }) => (attempt?.raw ? [{ hash: attempt.hash, raw: attempt.raw, reach: 'one' as const }] : [])))\n  return context.store.commit(async (session) => {",
      },
    ],
  },
  {
    name: 'fresh-nonce-for-nonce-too-low',
    breaks: 'answers "nonce too low" with a fresh nonce',
    expects: 'was executed twice',
    edits: [
      {
        file: 'src/domain/decide/apply.ts',
        find: '  const answered = withAttempts(transaction, (attempt) => {\n    const outcome',
        put: "  const tooLow = [...outcomes.values()].some((each) => each.kind === 'rejected' && each.code === 'nonceTooLow')\n  if (tooLow && !transaction.cancellation) return { ...transaction, lifecycle: { phase: 'queued' } }\n  const answered = withAttempts(transaction, (attempt) => {\n    const outcome",
      },
    ],
  },
  {
    name: 'broadcast-behind-a-delete',
    breaks: 'does not look whether a DELETE came between decision and broadcast',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (current?.version !== known.version) throw',
        put: 'if (current?.id !== known.id) throw',
      },
      {
        file: 'src/store/transactions/written/save-transaction.ts',
        find: "      .where('version', '=', p.version)\n",
        put: '',
      },
    ],
  },
  {
    name: 'resend-behind-a-delete',
    breaks: 'does not look whether a DELETE came before bytes go out a second time',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (current?.version !== known.version) throw',
        put: 'if (current?.id !== known.id) throw',
      },
    ],
  },
  {
    name: 'payloads-beside-unanswered-ones',
    breaks:
      'sends payloads in a request of their own while others are not answered yet, so that they may overtake these',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'payloads wait, old and new, and so do the gap fillers',
    edits: [
      {
        file: 'src/domain/decide/plan/work.ts',
        find: 'if (payloads.has(hash)) return true',
        put: 'if (payloads.has(hash)) return false',
      },
    ],
  },
  {
    name: 'gap-before-its-owner',
    breaks: 'fills a gap before the transaction that left it is written',
    expects: 'UNIQUE constraint failed: transactions.relayer_id, transactions.open, transactions.nonce',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: '  const written = new Map',
        put: "  for (const { decision, attempt } of signed) if (decision.do === 'fillGap' && attempt) await fill(session, work, decision.nonce, attempt, now)\n  const written = new Map",
      },
    ],
  },
  {
    name: 'crash-means-not-sent',
    breaks: 'believes that what was on its way when the process died never left',
    expects: 'safe to retry, and then its payload',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "return attempt.broadcast.state === 'sending' || attempt.broadcast.state === 'handed'",
        put: "return attempt.broadcast.state === 'handed'",
      },
    ],
  },
  {
    name: 'trust-a-returned-hash',
    breaks: 'never broadcasts again what a node has once accepted',
    expects: 'have not ended',
    edits: [
      {
        file: 'src/domain/decide/race/rebroadcast.ts',
        find: 'wasTaken(attempt) ? takenMs : doubtfulMs',
        put: 'wasTaken(attempt) ? Number.POSITIVE_INFINITY : doubtfulMs',
      },
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: 'if (!hasHad(patience, latest, situation)) return undefined',
        put: 'if (!hasHad({ ...patience, blocks: 1e9 }, latest, situation)) return undefined',
      },
    ],
  },
  {
    name: 'one-refusal-is-for-ever',
    breaks: 'takes a refusal as proof that no node has it, though an earlier broadcast is in doubt',
    caughtBy: 'test/domain/decide/bid.test.ts',
    expects: 'is certain where each was rejected, and in doubt while one more is on its way',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "const mayHaveHadIt = broadcast.state === 'handed'",
        put: "const mayHaveHadIt = broadcast.state === 'handed' && attempt.nonce < 0",
      },
    ],
  },
  {
    name: 'refused-batch-not-sent',
    breaks: 'takes what a refused batch of sends held for certainly not sent',
    caughtBy: 'test/chain/nodes/calls.unit.test.ts',
    expects: 'gateways that refuse batches',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: "  if (reading === 'refused') return [part]\n",
        put: "  if (reading === 'refused' && part.some(isSend)) {\n    fail(part, notTried)\n    return []\n  }\n  if (reading === 'refused') return [part]\n",
      },
    ],
  },
  {
    name: 'forget-the-refused-batch',
    breaks: 'sends alone what a refused batch held, and believes a refused connection then that no node has it',
    caughtBy: 'test/chain/nodes/calls.unit.test.ts',
    expects: 'what a refused batch carried may have been done',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: "  if (failed.kind !== 'unsent') return failed\n",
        put: '  if (failed.kind.length > 0) return failed\n',
      },
    ],
  },
  {
    name: 'revert-text-classifies',
    breaks: 'reads the words behind a revert, which a contract chooses, as those of a pool',
    caughtBy: 'test/chain/sending/broadcast-outcome.unit.test.ts',
    expects: 'classifies nothing, as a contract chooses them',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: 'return wordsBeforeRevert({ code, message }) ?? message',
        put: 'return message',
      },
    ],
  },
  {
    name: 'forget-who-broke-the-order',
    breaks:
      'takes the order of nonces for kept in a later look at a lost history, although an unknown transaction broke it',
    caughtBy: 'test/engine/find-sent.unit.test.ts',
    expects: 'the order proves nothing above a nonce that an unknown transaction took',
    edits: [
      {
        file: 'src/engine/find-sent.ts',
        find: 'let foreign = lostHistory.foreign ?? Number.POSITIVE_INFINITY',
        put: 'let foreign = Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'signed-beside-unanswered-ones',
    breaks: 'sends what a key service signed while payloads are not answered yet, so that it may overtake these',
    caughtBy: 'test/engine/remote-signer.test.ts',
    expects: 'its bytes leave after that',
    edits: [
      {
        file: 'src/engine/carry-out.ts',
        find: 'underWay.signatures.take(underWay.broadcasts.havePayload)',
        put: 'underWay.signatures.take(() => false)',
      },
    ],
  },
  {
    name: 'bound-since-and-spent',
    breaks: 'believes a look that took bytes of ours for foreign ones, as they were signed while it was under way',
    caughtBy: 'test/domain/decide/decide-at-once.test.ts',
    expects: 'about the spender of a nonce that was bound since',
    edits: [
      {
        file: 'src/domain/decide/decide-at-once.ts',
        find: 'inclusions.has(nonce) && covered.get(id)?.nonce !== nonce',
        put: 'inclusions.has(nonce) && covered.get(id) === undefined',
      },
    ],
  },
  {
    name: 'window-in-blocks-only',
    breaks: 'takes what waits for some blocks for late, however short they are',
    caughtBy: 'test/domain/decide/window.test.ts',
    expects: 'not after a round of which a look showed one late',
    edits: [
      {
        file: 'src/domain/decide/terms/window.ts',
        find: '>= blocks && now - since >= ms',
        put: '>= blocks',
      },
    ],
  },
  {
    name: 'window-without-rounds',
    breaks: 'lets the window grow only when nothing of it is in flight',
    caughtBy: 'test/domain/decide/window.test.ts',
    expects: 'ends while later ones wait',
    edits: [
      {
        file: 'src/domain/decide/terms/window.ts',
        find: 'if (nonce > round.last) return',
        put: 'if (nonce > highest.nonce) return',
      },
    ],
  },
]
