// Faults of a send, on request: its answer is lost, the send is lost, or it is refused.
import type { RpcReply } from '../rpc-server.ts'
import { refusal } from './node-behind.ts'

/**
 * - `answerLost`: it is treated as ever, and then the connection closes.
 * - `lost`: the connection closes, and nobody has the transaction.
 */
type SendFault = 'answerLost' | 'lost' | { readonly refuse: string }

export interface SendFaults {
  /** Of the next sends, one each. */
  next(...faults: readonly SendFault[]): void
  /** Of all sends from now on that have none of their own; none ends it. */
  always(fault?: SendFault): void
  /** How many sends have met a fault. */
  count(): number
  /** Treats a send, with the fault whose turn it is. */
  meet(treat: () => Promise<RpcReply>): Promise<RpcReply | 'cut'>
}

export function plantSendFaults(): SendFaults {
  const waiting: SendFault[] = []
  let lasting: SendFault | undefined
  let met = 0
  return {
    next: (...faults) => {
      waiting.push(...faults)
    },
    always: (fault) => {
      lasting = fault
    },
    count: () => met,
    meet: async (treat) => {
      const fault = waiting.shift() ?? lasting
      if (fault === undefined) return treat()
      met += 1
      if (typeof fault === 'object') return refusal(fault.refuse)
      if (fault === 'answerLost') await treat()
      return 'cut'
    },
  }
}
