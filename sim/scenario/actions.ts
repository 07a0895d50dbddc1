// What a step of the simulator can do, and how often each happens.

/** One of these happens in each step; a seed draws how often, from `usualWeights` on. */
export const actions = [
  'send',
  'cancel',
  'cancelPending',
  'replace',
  'policies',
  'nothing',
  'blocks',
  'reorg',
  'lag',
  'catchUp',
  'changeFaults',
  'evict',
  'restartPool',
  'fillPool',
  'spike',
  'emptyBalance',
  'refill',
  'foreign',
  'revert',
  'jumpClock',
  'crash',
  'pause',
  'restart',
] as const
export type Action = (typeof actions)[number]

/** Weights: an action with 6 happens twice as often as one with 3. */
export const usualWeights: Readonly<Record<Action, number>> = {
  // A client sends a transaction.
  send: 30,
  // A client cancels a transaction.
  cancel: 22,
  // A client cancels all transactions of a relayer.
  cancelPending: 3,
  // A client replaces the payload of a transaction.
  replace: 6,
  // The operator changes the relayers' policies.
  policies: 1,
  // Time passes.
  nothing: 10,
  // The chain makes one to eight blocks at once.
  blocks: 4,
  // The chain takes blocks back and makes others.
  reorg: 5,
  // A node stops following the chain.
  lag: 4,
  // Half of the nodes follow the chain again.
  catchUp: 5,
  // A node gets other odds of failing requests.
  changeFaults: 8,
  // A node drops half of its pool.
  evict: 4,
  // A node restarts with an empty pool.
  restartPool: 1,
  // A node accepts only replacements, or new transactions again.
  fillPool: 2,
  // The base fee begins to rise, or to fall.
  spike: 1.5,
  // Somebody takes nearly all money of a relayer's account.
  emptyBalance: 1,
  // The operator fills up all accounts.
  refill: 2,
  // Another program with the relayer's key broadcasts a transaction.
  foreign: 3,
  // Calls of one contract begin to revert, or succeed again.
  revert: 2,
  // The clock of the service's machine jumps.
  jumpClock: 1,
  // A process of the service dies.
  crash: 6,
  // A process of the service is paused. It resumes when another has taken its place.
  pause: 3,
  // A process of the service shuts down in good order and starts again.
  restart: 1,
}

/**
 * Only where several replicas run. `breakSession`: the database ends a replica's session. `cutOff`: a replica's line to the database is
 * silent for a while. `freeze`: a replica is paused. `join` and `leave`: a replica starts, or shuts down.
 */
export const replicaActions = ['breakSession', 'cutOff', 'freeze', 'join', 'leave'] as const
export type ReplicaAction = (typeof replicaActions)[number]
