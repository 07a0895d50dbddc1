// The engine as it would be if it believed one endpoint, or the wrong two, before a final statement.
import type { Mutant } from './mutants.ts'

const decided = 'test/domain/decide/witnesses.test.ts'
const called = 'test/chain/inclusions/call-witnesses.test.ts'
const rule = 'src/domain/witness.ts'
const calling = 'src/chain/inclusions/call-witnesses.ts'
const viewing = 'src/chain/inclusions/witness-view.ts'

export const ofWitnesses: readonly Mutant[] = [
  {
    name: 'one-witness-for-a-verdict',
    breaks: 'makes final statements on the word of one endpoint',
    with: ['falseInclusion'],
    expects: 'which no block holds',
    edits: [
      {
        file: rule,
        find: "if (rule.secondWitness === 'off') return true",
        put: 'if (rule.secondWitness !== undefined) return true',
      },
    ],
  },
  {
    name: 'a-moment-of-silence',
    breaks: 'does not wait for endpoints that are silent for a moment',
    caughtBy: decided,
    expects: 'silent for a moment',
    edits: [
      {
        file: rule,
        find: 'providers === 1 || silentMs >= witnessSilentMs',
        put: 'providers === 1 || silentMs < witnessSilentMs',
      },
    ],
  },
  {
    name: 'never-alone',
    breaks: 'waits for a second endpoint for ever, although one is preferred, not required',
    caughtBy: decided,
    expects: 'and for long',
    edits: [
      { file: rule, find: 'providers === 1 || silentMs >= witnessSilentMs', put: 'providers === 1 || silentMs < 0' },
    ],
  },
  {
    name: 'required-and-alone',
    breaks: 'lets one endpoint suffice where two are required',
    caughtBy: decided,
    expects: 'and for long',
    edits: [{ file: rule, find: "rule.secondWitness === 'prefer' && shownBy", put: 'shownBy' }],
  },
  {
    name: 'deaf-to-a-denial',
    breaks: 'lets one endpoint suffice although another contradicts it',
    caughtBy: decided,
    expects: 'one refutes it',
    edits: [
      {
        file: rule,
        find: 'const isDenied = refutedBy.length + elsewhereBy.length > 0',
        put: 'const isDenied = refutedBy.length + elsewhereBy.length < 0',
      },
    ],
  },
  {
    name: 'one-denial-is-enough',
    breaks: 'takes back an inclusion that one endpoint denies and others may confirm yet',
    caughtBy: decided,
    expects: 'the others may answer yet',
    edits: [
      {
        file: rule,
        find: 'refutedBy.length === 1 && isAlone(testimony, rule))',
        put: 'refutedBy.length === 1)',
      },
    ],
  },
  {
    name: 'a-false-inclusion-stays',
    breaks: 'never takes back an inclusion that two endpoints refute',
    caughtBy: decided,
    expects: 'open again once refuted',
    edits: [
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (testimony && isRefuted(testimony, policy)) ',
        put: 'if (testimony && isRefuted({ ...testimony, refutedBy: [] }, policy)) ',
      },
    ],
  },
  {
    name: 'each-endpoint-is-a-provider',
    breaks: 'counts two endpoints of one provider as two witnesses',
    caughtBy: called,
    expects: 'endpoints of one provider',
    edits: [
      {
        file: calling,
        find: 'const { index, provider } = endpoint',
        put: 'const { index } = endpoint\n      const provider = String(index)',
      },
    ],
  },
  {
    name: 'believe-what-two-refuted',
    breaks: 'takes a refuted inclusion from the endpoint that repeats it',
    caughtBy: called,
    expects: 'what two refuted',
    edits: [
      {
        file: calling,
        find: 'if (isVoid(said)) forgetMost',
        put: 'if (isVoid(said) && said.shownBy.length > 2) forgetMost',
      },
    ],
  },
  {
    name: 'keep-a-contradicted-list',
    breaks: 'never reads a list again that contradicted another, so the truth comes too late',
    caughtBy: called,
    expects: 'read anew',
    edits: [
      {
        file: calling,
        find: 'if (said.refutedBy.length > 0) views.forget',
        put: 'if (said.refutedBy.length > 9) views.forget',
      },
    ],
  },
  {
    name: 'any-block-at-this-height',
    breaks: 'takes the list of another block at this height for that of the block',
    caughtBy: called,
    expects: 'another block does not',
    edits: [
      { file: viewing, find: 'if (listing.hash !== block.hash) return', put: 'if (listing.hash === undefined) return' },
    ],
  },
  {
    name: 'a-witness-without-the-tag',
    breaks: 'lets an endpoint confirm finality whose own tag is below the block',
    caughtBy: called,
    expects: 'own tag',
    edits: [
      {
        file: viewing,
        find: 'block !== undefined && block.number >= number',
        put: 'block !== undefined || number >= 0',
      },
    ],
  },
  {
    name: 'any-result',
    breaks: 'takes the result of an execution from one endpoint',
    caughtBy: called,
    expects: 'the result of a payload',
    edits: [
      {
        file: viewing,
        find: "result === 'unsaid' || result === succeeded ?",
        put: "result === 'unsaid' || result !== undefined ?",
      },
    ],
  },
  {
    name: 'wait-for-a-receipt-for-ever',
    breaks: 'waits for a receipt of a node that never has one',
    caughtBy: called,
    expects: '32 blocks',
    edits: [
      { file: viewing, find: "reply.why === 'none' && isLate ?", put: "reply.why === 'none' && !isLate && isLate ?" },
    ],
  },
  {
    name: 'silent-for-each-spender-anew',
    breaks: 'waits for silent endpoints with each spender anew',
    caughtBy: called,
    expects: 'silence is counted',
    edits: [
      { file: calling, find: 'Math.min(since.get(hash) ?? now, sinceForAny ?? now)', put: '(since.get(hash) ?? now)' },
    ],
  },
]
