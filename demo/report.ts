// The table of verdicts, and the two accounts, as they are printed.
import { because, ether, heading, print, say, shortHash, styled, table } from './say.ts'
import type { Account, Row } from './verdicts.ts'

export function reportVerdicts(rows: readonly Row[]): void {
  heading('6. What became of each payment, checked against the chain itself')
  table([
    ['payment', 'verdict', 'nonce', 'cost (wei)', 'chain', 'who took the nonce'],
    ...rows.map((row) => [
      row.payment.label,
      row.verdict,
      String(row.nonce ?? '-'),
      String(row.cost),
      row.untruths.length === 0 ? styled('green', 'agrees') : styled('red', 'DISAGREES'),
      row.winner === undefined ? '-' : `${shortHash(row.winner)} ${row.verdict === 'won' ? 'no-op' : 'payment'}`,
    ]),
  ])
  say()
  because('executed: nobody canceled it.  dropped: no node ever saw it.  won: the no-op took its nonce.')
  because('lost: the payment was mined before the no-op.  cost: what the no-op burned, gas used × effective gas price.')
  for (const row of rows) for (const untruth of row.untruths) print(styled('red', `${row.payment.label}: ${untruth}`))
}

export function reportAccounts(accounts: readonly Account[]): void {
  say()
  for (const { sender, noncesUsed, moved, fees, balance, untruths } of accounts) {
    print(`${sender.id}: nonces 0 to ${noncesUsed - 1} used, no gap; paid ${ether(moved)}, burned ${ether(fees)}.`)
    because(`Its balance, ${ether(balance)}, is exactly what that leaves of ${ether(sender.balanceAtStart)}.`)
    for (const untruth of untruths) print(styled('red', `${sender.id}: ${untruth}`))
  }
}
