// Checks the figures of an execution against the chain: each is true, or absent for a reason.
import type { Included } from '../chain/blocks.ts'
import type { ReceiptHabits } from '../chain/receipts.ts'
import type { Row } from './row.ts'

export interface Receipts {
  readonly nodes: readonly ReceiptHabits[]
  /** A node gives the receipts of other transactions: for the service it has none. */
  readonly areReceiptsMixedUp: boolean
  /** A node named a false cost for it. A final row has a true cost, or none. */
  readonly isCostForged: boolean
}

/** The wrong figures, in words. `ours`: the service signed it, so that the row holds more than its hash. */
export function wrongFigures(row: Row, included: Included, ours: boolean, receipts: Receipts): string[] {
  const truth = {
    included_succeeded: included.succeeded ? 1 : 0,
    gas_used: included.gasUsed,
    effective_gas_price: String(included.price),
    l1_fee: included.l1Fee === undefined ? null : String(included.l1Fee),
  }
  const wrong = Object.entries(truth).flatMap(([column, value]) => {
    const said = row[column as keyof typeof truth]
    return said === null || (ours && said === value) ? [] : [`${column} is ${said}, and should be ${value}`]
  })
  const isFinal = row.open === 0
  if (receipts.isCostForged && !isFinal) return []
  // A node may omit members of a receipt. All are missing where no receipt came in time and the block proved the inclusion.
  const mayLack = (member: string) =>
    receipts.areReceiptsMixedUp ||
    receipts.nodes.some(({ omits, lateBlocks }) => lateBlocks > 0 || omits.includes(member))
  const isCostless = row.gas_used === null || row.effective_gas_price === null
  // One receipt proves the price without its member. Two that name different members contradict each other. Beside a node that shows no
  // result, one receipt and one list end a payload: its cost is the word of one.
  const lacksSecond = mayLack('effectiveGasPrice') || mayLack('status')
  const mayLackCost = receipts.isCostForged || mayLack('gasUsed') || (isFinal && lacksSecond)
  if (ours && isCostless && !mayLackCost) wrong.push('its cost is absent')
  if (ours && row.included_succeeded === null && !mayLack('status')) wrong.push('its success is absent')
  return wrong
}
