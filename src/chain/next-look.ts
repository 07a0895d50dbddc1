// What the next decisions will need to know about a head, by those before: the calls for it leave together with the reading of the head.
import type { FinalityTag } from '../domain/finality.ts'
import type { Address } from '../domain/ids.ts'
import type { Inquiry, Observation } from '../domain/observation.ts'
import type { BlockNumber } from '../domain/units.ts'
import type { CallsBeside } from './accounts/call-beside.ts'
import type { Accounts } from './accounts/read-account.ts'
import { blockCall } from './nodes/block-call.ts'
import type { Call } from './nodes/call.ts'

export interface NextLook {
  /** An observation begins. Its calls join the next reading of the head, unless the account has a need already. */
  begin(inquiry: Inquiry): void
  /** The observation is over. The account's next one will need the same, unless nothing is in flight and nothing waits. */
  end(inquiry: Inquiry, seen: Observation): void
  /** The calls at `latest`. `height`: of the next head, more or less. Where none is due, only for observations that begin now. */
  calls(height: BlockNumber, isDue: boolean): readonly Call[]
}

interface Need {
  /** The account needed nothing before. */
  readonly isNew: boolean
  readonly ofAccount: (height: BlockNumber) => CallsBeside
  readonly market: boolean
  readonly tag: FinalityTag | undefined
  /** The readings of heads that have brought it. */
  readings: number
}

/** A decision may take as long as two readings. An account without a decision for longer needs nothing. */
const readingsMax = 2

export function expectingNeeds(
  accounts: Pick<Accounts, 'callsBeside'>,
  callsForPrices: (height: BlockNumber) => readonly Call[],
): NextLook {
  const needs = new Map<Address, Need>()

  return {
    begin(inquiry) {
      if (needs.has(inquiry.address)) return
      const { address, market, tag } = inquiry
      const ofAccount = (height: BlockNumber) => accounts.callsBeside(inquiry, height, false)
      needs.set(address, { isNew: true, ofAccount, market, tag, readings: 0 })
    },
    end(inquiry, { inclusions, head, balanceReadAt }) {
      const { address, balance, market, tag } = inquiry
      const live = inquiry.live.filter(({ nonce }) => !inclusions.has(nonce))
      const waits = balance !== undefined
      if (!waits && live.length === 0 && !tag) {
        needs.delete(address)
        return
      }
      // As many as were mined may have been bound since.
      const next = waits ? inquiry : { ...inquiry, live }
      // A balance that may be older is read for many accounts in one call.
      const readsBalance = balance === 'now' && balanceReadAt === head.number
      const ofAccount = (height: BlockNumber) => accounts.callsBeside(next, height, readsBalance)
      needs.set(address, { isNew: false, ofAccount, market, tag, readings: 0 })
    },
    calls(height, isDue) {
      const all = [...needs].filter(([, { isNew }]) => isNew || isDue)
      for (const [address, need] of all) {
        need.readings += 1
        if (need.readings >= readingsMax) needs.delete(address)
      }
      const calls = all.map(([, need]) => ({ ...need, own: need.ofAccount(height) }))
      // An account whose facts do not all come with the head takes a round for its receipts, and the prices come with them if they are needed then.
      const isPriced = calls.some(({ market, isNew, own }) => market && (isNew || own.isWhole))
      const tags = [...new Set(all.flatMap(([, { tag }]) => tag ?? []))].map((tag) => blockCall(tag, false))
      return [...calls.flatMap(({ own }) => own.calls), ...(isPriced ? callsForPrices(height) : []), ...tags]
    },
  }
}
