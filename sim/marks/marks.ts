// States that matter, as data: a sweep says which of them its worlds reached. A mark that no world reaches any more says that the
// simulator has gone blind there.
import { type Condition, conditions } from '../../src/domain/condition.ts'

const ofRows = {
  'verdict-dropped': 'A canceled transaction ends, and no node ever had it.',
  'verdict-won': 'A no-op of ours takes the nonce of a canceled transaction for good.',
  'verdict-lost': 'A canceled transaction is executed for good.',
  'verdict-external': 'A foreign transaction takes the nonce of a canceled transaction for good.',
  confirmed: 'A payload is executed for good.',
  'contract-created': 'A payload that creates a contract is executed for good.',
  'reverted-for-good': 'A payload is mined, and reverts.',
  'refused-for-good': 'The service refuses a payload that has no nonce.',
  'failing-call-ended': 'A call whose estimate fails in words of no table ends, and has no nonce.',
  'given-up': 'Every node calls a payload invalid, and a no-op begins a race with it.',
  'given-up-for-good': 'The no-op of a payload that was given up is final.',
  'expired-in-the-queue': 'A transaction expires before it has a nonce.',
  'expired-in-flight': 'A transaction expires in flight, and a no-op begins a race with it.',
  'expired-for-good': 'The no-op of an expired transaction is final.',
  'executed-after-expiry': 'A transaction expires in flight, and its payload wins all the same.',
  'replacement-won': 'The payload of a PUT is executed.',
  'replaced-payload-won': 'The payload from before a PUT is executed.',
  'put-in-flight': 'A PUT replaces the payload of a transaction in flight.',
  'nonce-lost': 'A transaction loses its nonce, and waits for another.',
  'gap-filler': 'A gap filler takes the nonce that nobody uses.',
  'gap-filler-lost': 'Something else takes the nonce of a gap filler.',
  'gap-filler-after-restore': 'A gap filler is made after a copy was put back.',
  'gap-filler-after-refusal': 'A gap filler is made beside a payload that nodes called invalid.',
  'gap-filler-with-a-liar': 'A gap filler is made while a node lies.',
  unmined: 'A reorganization takes a transaction out of its block.',
  'confirmed-and-unmined': 'A reorganization takes back a transaction that had its confirmations.',
  'race-reopened': 'A reorganization takes back the no-op of a cancellation.',
  'winner-changed': 'A reorganization makes another contender for a nonce the winner.',
  'confirmed-before-final': 'A transaction has its confirmations, and is not final.',
  'executed-unrecorded': 'A payload is executed by a transaction that the record lost.',
  suspected: 'A no-op of a lost history may have canceled one of several transactions.',
  'result-unknown': 'A payload is final, and no receipt shows its result.',
  'single-witness': 'A transaction is final by one of several endpoints: the others are silent for long.',
  'two-witnesses': 'A transaction is final, and two endpoints showed it.',
} as const

const ofPools = {
  'payload-withheld': 'Nodes show a block that has a transaction of ours, and its slot stays empty.',
  swallowed: 'A node answers with a hash, and its pool does not have the transaction.',
  'swallowed-after-reorg': 'The same, within three blocks of a reorganization.',
  'swallowed-in-a-race': 'The same, for a transaction that races.',
  'no-op-displaces-payload': 'A pool takes a no-op in place of its payload.',
  'no-op-displaces-foreign': 'A pool takes a no-op in place of a foreign transaction.',
  'payload-displaces-foreign': 'A pool takes a payload in place of a foreign transaction.',
  'foreign-displaces-ours': 'A pool takes a foreign transaction in place of one of ours.',
  'own-bid-displaced': 'A pool takes a dearer attempt in place of the same payload or no-op.',
  'no-op-outbid': 'A pool refuses a no-op, as it is too cheap.',
  'no-op-refused-for-money': 'A pool refuses a no-op that the balance does not cover.',
  'sent-with-a-gap': 'A node gets a transaction whose nonce is ahead of its account and pool.',
  'sent-again': 'A node gets bytes that it has.',
  'sent-too-late': 'A node gets bytes for a nonce that is spent.',
  'pre-signed-no-op-sent': 'A no-op that was signed before its cancellation is sent.',
  'no-op-beats-foreign': 'A no-op is mined while a pool holds a foreign transaction for its nonce.',
  'payload-beats-foreign': 'A payload is mined while a pool holds a foreign transaction for its nonce.',
  'foreign-takes-nonce': 'A foreign transaction is mined while a pool holds ours for its nonce.',
  'mined-from-no-pool': 'A block holds a transaction of ours that no pool has any more.',
  'no-op-mined-without-signer': 'A no-op is mined while the keys are out of reach.',
  'no-op-mined-in-a-lie': 'A no-op is mined while a node lies.',
} as const

const ofEvents = {
  'reorg-in-a-race': 'A reorganization comes while a race is on.',
  'reorg-takes-no-op': 'A reorganization takes back the block of a no-op.',
  'reorg-of-six': 'A reorganization is at least six blocks deep.',
  'safe-blocks-taken-back': 'A reorganization takes back safe blocks.',
  'crash-in-a-race': 'A process dies while a race is on.',
  'pause-in-a-race': 'A process is paused while a race is on.',
  'restore-in-a-race': 'A copy is put back while a race is on.',
  'restore-forgets-broadcasts': 'A copy is put back that does not hold what was sent since.',
  'second-restore': 'A second copy is put back.',
  'lie-in-a-race': 'A node lies while a race is on.',
  'lie-about-acceptance': 'A node refuses, in whatever words, bytes that its pool took.',
  'lie-about-acceptance-in-a-race': 'The same, while a race is on.',
  'acceptance-unheard': 'A node takes bytes, and its answer is lost.',
  'lag-in-a-race': 'A node begins to stand still while a race is on.',
  'eviction-in-a-race': 'A pool evicts transactions while a race is on.',
  'full-pool-in-a-race': 'A pool is full, or no longer, while a race is on.',
  'empty-pool-in-a-race': 'A node restarts with an empty pool while a race is on.',
  'robbed-in-a-race': 'An account loses its balance while a race is on.',
  'clock-jumps-in-a-race': 'The clock of the machine jumps while a race is on.',
  'policies-change-in-a-race': 'The policies change while a race is on.',
  'spike-in-a-race': 'The base fee begins to rise or to fall while a race is on.',
  'foreign-in-a-race': 'A foreign transaction comes while a race is on.',
  'drought-in-a-race': 'Blocks leave our transactions out, or stay out, while a race is on.',
  'signer-fails-in-a-race': 'The keys get out of reach while a race is on.',
  'minute-taken-back': 'A sequencer fails over, and blocks of half a minute or more are taken back.',
  'own-deposit': 'A deposit from L1 spends a nonce of a relayer.',
  'pace-changed': 'The block time changes.',
  'no-estimates': 'For a while no node estimates a call.',
  'bulk-in-a-race': 'A bulk cancellation comes while a race is on.',
} as const

/** Marks that a message of the engine's log reaches. */
const ofLog = {
  'another owner is at work': 'A process learns that another one owns its relayer.',
  'endpoints contradict each other about the spender of a nonce': 'A witness contradicts an inclusion.',
  'as many endpoints hold one branch as another': 'The endpoints are split between two branches.',
  'an endpoint serves another chain and is not used':
    'An endpoint is excluded for a block at the height of the anchor.',
  'no endpoint of the network tells its head': 'No endpoint answers.',
  'an endpoint failed three times in a row': 'An endpoint is left to rest.',
  'the network answers again': 'The first answer after an outage of all endpoints.',
  'a reorganization replaced blocks that were known': 'The engine sees a reorganization.',
  'deciding at once, by the last look': 'A no-op or the payload of a PUT is signed while the chain is looked at.',
  'the signer does not sign': 'A request for a signature fails.',
  'the signer does not sign, so a pre-signed no-op is used': 'A pre-signed no-op takes the place of a signature.',
  'the network has an anchor: an endpoint with another block there is not used': 'The network gets its first anchor.',
} as const

const ofConditions = Object.fromEntries(
  conditions.map((condition) => [`waits-${condition}`, `A transaction waits: ${condition}.`]),
) as Readonly<Record<`waits-${Condition}`, string>>

export const marks = { ...ofRows, ...ofPools, ...ofEvents, ...ofLog, ...ofConditions } as const
export type Mark = keyof typeof marks
export const markNames = Object.keys(marks) as readonly Mark[]

/**
 * Fewer than one ordinary world in a hundred reaches them, or none: a sweep may miss them. Features on request reach most, such as
 * `--with highCount`.
 */
export const rareMarks: readonly Mark[] = [
  'executed-unrecorded',
  'gap-filler-after-refusal',
  'gap-filler-lost',
  'gap-filler-with-a-liar',
  'as many endpoints hold one branch as another',
  'an endpoint serves another chain and is not used',
  'waits-account_in_use',
  'waits-finality_stalled',
  'waits-gap_fillers_limited',
  'waits-nonce_taken',
  'waits-policy',
  'waits-pool_unseen',
]

export function isMark(name: string): name is Mark {
  return Object.hasOwn(marks, name)
}
