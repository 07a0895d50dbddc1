// Seeds that found a fault once. Worlds change with the simulator, so a seed may meet its fault no more: a mutant keeps the fault.
import { expect, test } from 'vitest'
import { mutants } from '../../sim/mutants/mutants.ts'
import { failuresOf, simulate } from './simulate.ts'

const usualSteps = 300

const onceFailed = [
  [10, 'a gap was filled before the refused transaction that left it was written: its step failed for ever'],
  [28, 'a payload that no node takes, with one lost answer, held its nonce for ever'],
  [60, 'a foreign transaction took a nonce and the payload got the next, between two looks of the simulator'],
  [105, 'a head left behind told its deep blocks to the next observation'],
  [180, 'a node on an old branch made its block final'],
  [215, 'a nonce that a foreign transaction took looked free to a node behind'],
  [266, 'a node on an old branch made its block final'],
  [1544, 'a Besu two blocks behind compares at a base fee that no price was made for'],
  [5936, 'a foreign transaction tipped seven hundred times the market'],
  [7002, 'a Besu that had not said its name refused what was priced for the others'],
  [7132, "a send at its cap waited behind a foreign transaction's dust"],
  [126, 'a gap filler, stuck at the cap of sends, held up the cancellations behind it'],
  [
    128,
    'eight searches for what took a nonce, one after the other over four nodes, took longer than the blocks they were of',
  ],
  [
    516,
    'a node far behind answered for the pool, and what took a nonce was not looked for below where it was said unspent',
  ],
  [1386, 'a check of a lost history held the floor down, and a node far behind made a settled nonce look free'],
  [308157, 'the floor rose over what a lost history had spent, and the next owner looked above it', 40],
  [
    1065130,
    'a batch of which one call was answered, with an error, was taken for refused, and its sends for not sent',
    20,
  ],
  [766, 'an owner whose relayer another had by then still wanted to record that no node answers'],
  [1502, 'a block time configured as fifty times the real one: a restored copy looked back over too few blocks'],
  [6010, 'the same'],
  [2001319, 'three nodes that lagged were believed while the one ahead of them did not answer'],
  [1096882, 'what the first look at the pools had not shown of a lost history was never looked for', 20],
  [1087387, 'a slot was taken again, and the late answer to its unlocking took it off the list', 20],
  [1105576, 'the same, with a cancellation in flight', 20],
  [30819, 'a PUT while the old payload was on its way, which no node got then, held its nonce for ever', 20],
  [210026197, 'a transaction sent after a restore was taken for the one that a lost no-op canceled', 20],
  [430033345, 'an attempt that a copy held as never sent was mined, and still counted as in no pool', 20],
  [1795405376, 'on a chain of ten blocks a second, the tag was always newer than the head, and nothing became final'],
  [196666885, 'the first bid that the balance covered was seven times the tip that the pools had named', 20],
  [441003, 'a denial of a receipt from before a long search left the cost of a mined transaction out'],
  [2047242001, 'a remote signer had signed for room that a reorganization took back: one more than max_in_flight'],
  [2047242609, 'a read of the L1 fee for one head dropped what another was still computing with'],
  [
    2599070968,
    'a balance from before two spent nonces, whose transactions were still to be found, gave a nonce away',
    20,
  ],
  [
    2599081818,
    'a lost PUT was mined, and a no-op above it was taken for the cancellation of the payload from before',
    20,
  ],
  [649800568, 'a bid was signed while no pool had the attempt before it, and was too low once one had', 20],
  [131130637, 'on a chain of ten blocks a second, a gateway without batches: each head waited for sixty headers'],
  [131129286, 'a cap of the sends below the tip that every pool demands'],
  [1124031848, 'a pool held what the copy that was put back knew as rejected, and the bid counted it as in no pool'],
  [1460001639, 'a copy with a PUT was put back after one without it had sent the old payload'],
  [700127, 'the second try of a bulk DELETE met the mark of another, in one commit, and was answered with an error'],
  [5000301, 'a bid that came down over the foreign transaction of one pool met the one before it in another'],
  [131129476, 'a node kept a bid that the balance did not cover when the lower one was made'],
  [900001251, 'the release of one that a lost no-op may have canceled forgot why it waits'],
  [207850729, 'a final sweep without a status from any node counted as under way: every later sweep was refused'],
  [205700258, 'a reorganization between two receipts: the price of one went with the block of the other'],
  [207890239, 'the minute of silence after a contradiction confirmed the inclusion, whose status stayed submitted'],
  [
    208500192,
    'the balance of a withheld block paid for a send, after another block of its height had spent three nonces',
  ],
] as [seed: number, fault: string, steps?: number][]

/** By seed: the mutant that has the same fault. Faults of the simulator itself have none, and some of the service lack one. */
const mutantOf: Readonly<Record<number, string>> = {
  10: 'gap-before-its-owner',
  28: 'give-nothing-up',
  105: 'deep-block-of-anybody',
  180: 'stale-branch-as-truth',
  215: 'foreign-nonces-stay-free',
  266: 'stale-branch-as-truth',
  126: 'trap-gap-fillers-under-the-cap',
  1065130: 'refused-batch-not-sent',
  1502: 'search-back-by-configured-time',
  6010: 'search-back-by-configured-time',
  1096882: 'forget-what-waits-in-the-pools',
  205700258: 'figures-of-two-blocks',
  208500192: 'balance-of-a-replaced-block',
  210026197: 'forget-when-the-restored-copy-began',
  1795405376: 'forget-tags-above-the-head',
  207850729: 'sweep-under-way-for-good',
  207890239: 'silence-ends-a-contradiction',
  2047242001: 'bind-for-the-room-of-before',
  2599070968: 'balance-of-a-node-behind',
  2599081818: 'match-above-an-unknown-spender',
  649800568: 'bid-below-what-a-pool-took-meanwhile',
  900001251: 'forget-a-suspicion-at-the-release',
}

test('the faults that mutants keep are those of these seeds, and the mutants exist', () => {
  const names = new Set(mutants.map(({ name }) => name))
  expect(Object.values(mutantOf).filter((name) => !names.has(name))).toEqual([])
  const seeds = new Set(onceFailed.map(([seed]) => String(seed)))
  expect(Object.keys(mutantOf).filter((seed) => !seeds.has(seed))).toEqual([])
})

/** Those of the same length share a process: to load the engine takes longer than a seed. */
const byLength = Map.groupBy(onceFailed, ([, , steps = usualSteps]) => steps)
const outcomes = [...byLength].map(async ([steps, each]) =>
  simulate(
    each.map(([seed]) => seed),
    1,
    steps,
  ),
)

// The first to run waits for the seeds of all.
test.each(onceFailed)('seed %i: %s', { timeout: 3_600_000 }, async (wanted, _, length = usualSteps) => {
  const found = (await Promise.all(outcomes)).flat().filter(({ seed, steps }) => seed === wanted && steps === length)
  expect(found).toHaveLength(1)
  expect(failuresOf(found)).toEqual([])
})
