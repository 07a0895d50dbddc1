// The random streams of a run. Each subject draws from a stream of its own, so that a new draw in one leaves all others as they were.
import { type Dice, dice } from '../tooling/dice.ts'

export interface Streams {
  /** Steps, blocks, requests and processes. */
  readonly dice: Dice
  /** Changes of policies by the operator. */
  readonly policyDice: Dice
  /** Prices of other senders, and droughts. */
  readonly feesDice: Dice
  /** The behavior of the key service. */
  readonly signersDice: Dice
  /** Long outages of the key service where no-ops are signed in advance. */
  readonly presignDice: Dice
  /** Stops of the finality tags, and reorganizations of safe blocks. */
  readonly tagsDice: Dice
  /** Changes between an order by tips and first come, first served. */
  readonly orderDice: Dice
  /** Slots that stay empty. */
  readonly slotDice: Dice
  /** Sweeps of accounts. */
  readonly sweepDice: Dice
  /** Limits of cost of single cancellations. */
  readonly boundDice: Dice
  /** Bulk cancellations with filters. */
  readonly bulkDice: Dice
  /** Tags in those filters. */
  readonly bulkTagDice: Dice
  /** Limits and pauses of bulk cancellations. */
  readonly bulkTermsDice: Dice
  /** Previews of bulk cancellations. */
  readonly previewDice: Dice
  /** Pauses of the network. */
  readonly networkDice: Dice
  /** Holds of sends. */
  readonly holdDice: Dice
  /** Keys that send and release under four eyes. */
  readonly fourEyesDice: Dice
  /** Bursts of sends. */
  /** External ids and tags of sends. */
  readonly labelDice: Dice
  /** Sends and cancellations while a node lies on. */
  readonly lieOnDice: Dice
  /** Sends that create contracts. */
  readonly creationDice: Dice
  /** Estimates of gas that fail at every node. */
  readonly estimateDice: Dice
  /** Deposits of rollups, and what the second backend of an endpoint answers. */
  readonly rollupDice: Dice
}

export function openStreams(seed: number): Streams {
  return {
    dice: dice(seed, 'world'),
    policyDice: dice(seed, 'policies'),
    feesDice: dice(seed, 'fees'),
    signersDice: dice(seed, 'signers'),
    presignDice: dice(seed, 'presigning'),
    tagsDice: dice(seed, 'tags'),
    orderDice: dice(seed, 'order'),
    slotDice: dice(seed, 'slots'),
    sweepDice: dice(seed, 'sweeping'),
    boundDice: dice(seed, 'bounds of cost'),
    bulkDice: dice(seed, 'bulk objects'),
    bulkTagDice: dice(seed, 'tags of bulk objects'),
    bulkTermsDice: dice(seed, 'terms of bulk objects'),
    previewDice: dice(seed, 'previews'),
    networkDice: dice(seed, 'pauses of the network'),
    holdDice: dice(seed, 'holds of sends'),
    fourEyesDice: dice(seed, 'four eyes'),
    labelDice: dice(seed, 'names of sends'),
    lieOnDice: dice(seed, 'lying on'),
    creationDice: dice(seed, 'creations'),
    estimateDice: dice(seed, 'failing estimates'),
    rollupDice: dice(seed, 'rollups'),
  }
}
