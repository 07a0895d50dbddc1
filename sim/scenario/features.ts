// The features of a run: each is drawn by its own odds, from a random stream that has its name, so that one can be forced or left out
// (`npm run sim -- --with NAMES`) while all others stay as they are.

interface Described {
  /** Probability that a seed has it. 0: only where it is forced. */
  readonly odds: number
  readonly about: string
}

export const features = {
  traffic: { odds: 0.4, about: 'Other senders leave blocks empty, fill them, or both in turn.' },
  minimumTips: { odds: 0.2, about: 'Pools or block builders demand a minimal tip.' },
  freeGas: { odds: 0.06, about: 'Gas costs nothing, and accounts are empty.' },
  shortMoney: { odds: 0.3, about: 'Accounts hold one ether at some time.' },
  feeAboveCap: {
    odds: 0.02,
    about: 'In the end the base fee rises above the cap of sends in flight, and stays there for long.',
  },
  spikes: { odds: 0.3, about: 'The base fee rises further, and falls again by itself.' },
  droughts: { odds: 0.2, about: 'For 20 to 120 blocks the chain leaves out transactions, or makes no block.' },
  doubtfulSends: { odds: 0.2, about: 'Broadcasts fail in ways that leave their outcome unknown.' },
  anyRestores: {
    odds: 0.1,
    about: 'One or two copies of the database are restored at any time. Final cancellations may be undone.',
  },
  finality: { odds: 0.2, about: 'A block is final later than it is confirmed, by its depth or by a tag.' },
  fcfs: { odds: 0.05, about: 'A sequencer orders transactions first come, first served.' },
  heldBack: { odds: 0.2, about: 'In the end such a sequencer makes blocks without our transactions for long.' },
  earlyHashes: { odds: 0.02, about: 'Such a sequencer answers before it orders.' },
  orderReceipts: { odds: 0.02, about: 'Such a sequencer answers with a receipt.' },
  tipSwitch: { odds: 0.02, about: 'Such a sequencer orders by tips from some time on, and back.' },
  gasFork: { odds: 0, about: 'Blocks above a height have the gas rules of a fork, which reorganizations undo.' },
  networkPauses: { odds: 0, about: 'The operator pauses the whole network, and resumes it.' },
  costLimits: { odds: 0.08, about: 'Cancellations have limits of cost.' },
  emptySlots: { odds: 0.02, about: 'Nodes show a block whose payload is withheld (EIP-7732).' },
  reserve: {
    odds: 0.02,
    about: 'Blocks are executed after they are ordered: an account needs a reserve, and payments count late.',
  },
  sweeps: { odds: 0.03, about: 'The operator sweeps accounts.' },
  sendHolds: { odds: 0.03, about: 'Sends are on hold, policies demand holds, and clients release.' },
  bulkObjects: { odds: 0.15, about: 'Bulk cancellations have filters and name some relayers.' },
  bulkTerms: {
    odds: 0.5,
    about: 'Some bulk cancellations with filters have a limit of cost, or pause their relayers.',
  },
  bulkPreviews: { odds: 0.01, about: 'Clients preview bulk cancellations, and request no more than that.' },
  fourEyes: { odds: 0.03, about: 'Relayers are under four eyes, and keys release by right and by wrong digests.' },
  surveys: { odds: 0.1, about: 'Owners observe idle relayers.' },
  foreignLooks: { odds: 0.03, about: 'Owners look for foreign uses of their keys.' },
  labels: { odds: 0.03, about: 'Sends have external ids, few different ones.' },
  creations: { odds: 0.04, about: 'Some sends create contracts.' },
  estimates: {
    odds: 0.04,
    about: 'Some sends call a contract that always fails in words of no table; at times no node estimates any call.',
  },
  sequencerPool: { odds: 0.03, about: 'All nodes share one pool.' },
  l1Gas: { odds: 0.05, about: 'Gas contains a part for data on L1.' },
  remoteSigners: { odds: 0.08, about: 'The keys are in a key service, which fails in many ways.' },
  presign: { odds: 0.4, about: 'Where the keys are in a key service: no-ops are signed in advance.' },
  custody: {
    odds: 0.03,
    about:
      'Where no other feature moves the keys or charges for data on L1: a key service with slow tokens, lost sessions or approvals.',
  },
  l1Fee: { odds: 0.03, about: 'Data on L1 costs a fee beside gas.' },
  retention: {
    odds: 0.1,
    about: 'A second copy of the database, without the rows that retention may remove, is compared with the first.',
  },
  samePayloads: {
    odds: 0.1,
    about: 'A replacement repeats the payload, and the service may sign the same bytes again.',
  },
  brokenEnd: { odds: 0, about: 'A lying node, a replica or the key service stays broken to the end.' },
  weights: {
    odds: 0.5,
    about: 'One node is the primary, with nearly all of the weight, and the others are its fallbacks.',
  },
  latencies: { odds: 0.33, about: 'Each endpoint has a latency of its own: 5 to 500 ms a way.' },
  fastBlocks: {
    odds: 0.02,
    about: 'A rollup with blocks of 200 ms, deposits at the head of each, far nodes, and a minute that is taken back.',
  },
  paceChange: {
    odds: 0.02,
    about: 'Such a rollup changes its block time: from 2 s to 200 ms and back, or up to 12 s.',
  },
  blindBackends: {
    odds: 0.02,
    about: 'The only endpoint has two backends, one of them 1 to 10 blocks of 200 ms behind.',
  },
  // One node gives false answers until the faults stop (sim/lies).
  secondLie: { odds: 0.5, about: 'Where a node lies: it has a second kind of lie.' },
  highCount: { odds: 0.04, about: 'A node lies: too high a count of transactions.' },
  highPrice: { odds: 0.04, about: 'A node lies: too high prices.' },
  anothersReceipt: { odds: 0.04, about: 'A node lies: the receipt of another transaction.' },
  invalid: { odds: 0.04, about: 'A node lies: a refusal that calls good bytes invalid.' },
  unknownWords: { odds: 0.04, about: 'A node lies: a refusal in unknown words.' },
  falseInclusion: { odds: 0.04, about: 'A node lies: an inclusion that never happened.' },
  minedEarly: { odds: 0.04, about: 'A node lies: transactions that wait in the pool are mined, in true blocks.' },
  countedEarly: { odds: 0.04, about: 'A node lies: transactions that wait in the pool are counted as spent.' },
  falseCost: { odds: 0.04, about: 'A node lies: false gas, prices and L1 fees in receipts.' },
  falseEstimates: { odds: 0.04, about: 'A node lies: estimates of gas, and gas limits of blocks.' },
  tagsAhead: { odds: 0, about: 'A node lies: tags on blocks that are not final, where two nodes report the tag.' },
  underpriced: { odds: 0, about: 'A node lies: a refusal for a low price.' },
} as const satisfies Readonly<Record<string, Described>>
export type Feature = keyof typeof features

export const featureNames = Object.keys(features) as readonly Feature[]

/** The probability of each feature. */
export type Drawn = Readonly<Record<Feature, number>>

export const drawnUsually: Drawn = Object.fromEntries(
  featureNames.map((name) => [name, features[name].odds]),
) as unknown as Drawn

const laterThanPins: readonly Feature[] = [
  'weights',
  'secondLie',
  'minedEarly',
  'countedEarly',
  'falseCost',
  'falseEstimates',
  'estimates',
  'latencies',
  'feeAboveCap',
  'heldBack',
  'fastBlocks',
  'paceChange',
  'blindBackends',
]

/** The features that no seed of a mutant has unless it names them: the pinned seeds were found before they existed. */
export function leftOutForMutant(named: readonly Feature[] = []): readonly Feature[] {
  return laterThanPins.filter((feature) => !named.includes(feature))
}
