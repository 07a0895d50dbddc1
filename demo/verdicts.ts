// Compares the end of every payment, as the service reports it, with the chain.

import { balanceOf, type Mined, nonceOf, readLedger, sameAddress } from './node.ts'
import type { Payment, Sender, Stage } from './stage.ts'

export type Verdict = 'executed' | 'dropped' | 'won' | 'lost'

/** What the service says of a payment. */
export interface Row {
  readonly payment: Payment
  readonly verdict: Verdict
  /** Absent for what never had one. */
  readonly nonce?: number
  /** The transaction that took the nonce. */
  readonly winner?: string
  readonly cost: bigint
  /** Where the service contradicts the chain, or itself; empty when all is true. */
  readonly untruths: readonly string[]
}

export interface Expectation {
  readonly payment: Payment
  readonly verdict: Verdict
}

export async function judge(stage: Stage, expectations: readonly Expectation[]): Promise<Row[]> {
  const ledger = await readLedger(stage.anvil)
  return Promise.all(expectations.map((expectation) => judgeOne(stage, ledger, expectation)))
}

async function judgeOne(stage: Stage, ledger: readonly Mined[], { payment, verdict }: Expectation): Promise<Row> {
  const reported = await readReported(stage, payment)
  const { sender, to, value } = payment
  const executed = verdict === 'executed' || verdict === 'lost'
  const inBlocks = ledger.filter((mined) => sameAddress(mined.to, to))
  const spender = ledger.find((mined) => sameAddress(mined.from, sender.address) && mined.nonce === reported.nonce)
  const received = await balanceOf(stage.anvil, to)

  const claims: [boolean, string][] = [
    [reported.verdict === verdict, `the verdict is "${reported.verdict}"; it must be "${verdict}"`],
    [reported.final, 'the verdict is not final'],
    [received === (executed ? value : 0n), `the recipient holds ${received} wei`],
    [inBlocks.length === (executed ? 1 : 0), `it was mined ${inBlocks.length} times`],
  ]
  if (verdict === 'dropped') {
    claims.push(
      [reported.nonce === undefined, `it holds nonce ${reported.nonce}`],
      [reported.cost === 0n, `it cost ${reported.cost}`],
    )
  } else {
    const cost = verdict === 'won' ? spender?.fee : 0n
    claims.push(
      [spender !== undefined && spender.hash === reported.winner, `nonce ${reported.nonce} went to ${spender?.hash}`],
      [spender?.succeeded === true, 'what took the nonce reverted'],
      [spender?.value === (executed ? value : 0n), `what took the nonce moved ${spender?.value} wei`],
      [sameAddress(spender?.to ?? null, executed ? to : sender.address), `what took the nonce went to ${spender?.to}`],
      [spender?.input === '0x', `what took the nonce carries data ${spender?.input}`],
      [reported.cost === cost, `the receipt says that it cost ${cost}`],
    )
  }
  const untruths = claims.filter(([holds]) => !holds).map(([, untruth]) => untruth)
  return { payment, untruths, ...reported }
}

async function readReported({ client }: Stage, { sender, id }: Payment) {
  const transaction = await client.get(sender.id, id)
  const nonce = transaction.nonce === undefined ? {} : { nonce: transaction.nonce }
  const answer = await client.request('GET', `/relayers/${sender.id}/transactions/${id}/cancellation`)
  if (answer.status === 404) {
    const winner = transaction.hash === undefined ? {} : { winner: transaction.hash }
    return { verdict: 'executed' as const, final: transaction.status === 'confirmed', ...nonce, ...winner, cost: 0n }
  }
  const cancellation = await client.cancellation(sender.id, id)
  const winner = cancellation.winner === undefined ? {} : { winner: cancellation.winner.hash }
  const verdict = cancellation.state as Verdict
  return { verdict, final: cancellation.final, ...nonce, ...winner, cost: BigInt(cancellation.cost) }
}

/** What the chain shows of a sender as a whole. */
export interface Account {
  readonly sender: Sender
  readonly noncesUsed: number
  readonly moved: bigint
  readonly fees: bigint
  readonly balance: bigint
  readonly untruths: readonly string[]
}

export async function audit(stage: Stage, sender: Sender, noncesExpected: number): Promise<Account> {
  const own = (await readLedger(stage.anvil)).filter((mined) => sameAddress(mined.from, sender.address))
  const noncesUsed = await nonceOf(stage.anvil, sender.address)
  const moved = sum(own.filter((mined) => !sameAddress(mined.to, sender.address)).map((mined) => mined.value))
  const fees = sum(own.map((mined) => mined.fee))
  const balance = await balanceOf(stage.anvil, sender.address)
  const claims: [boolean, string][] = [
    [noncesUsed === noncesExpected, `${noncesUsed} nonces are used; it must be ${noncesExpected}`],
    [own.every((mined, index) => mined.nonce === index), 'its nonces are not in order without a gap'],
    [own.length === noncesUsed, `${own.length} transactions for ${noncesUsed} nonces`],
    [balance === sender.balanceAtStart - moved - fees, 'its balance is not what payments and fees leave of it'],
  ]
  const untruths = claims.filter(([holds]) => !holds).map(([, untruth]) => untruth)
  return { sender, noncesUsed, moved, fees, balance, untruths }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
