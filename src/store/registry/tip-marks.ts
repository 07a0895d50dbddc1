// The believed tips of the networks, a row a mark.
import type { TipMark } from '../../domain/tip-marks.ts'
import type { TimestampMs } from '../../domain/units.ts'
import type { TipMarkTable } from '../access-tables.ts'
import { insertionOnce } from '../insert-rows.ts'
import type { NetworkChanges, NetworkKey } from '../network-port.ts'
import { type Executor, statement } from '../statement.ts'

type Of = { network: string; chainId: number }

const marksAfter = statement<Of & { after: number }, Pick<TipMarkTable, 'marked_at' | 'tip'>>((db, p) =>
  db
    .selectFrom('tip_marks')
    .select(['marked_at', 'tip'])
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId)
    .where('marked_at', '>', p.after)
    .orderBy('marked_at'),
)

export async function readTipMarks(
  executor: Executor,
  { name, chainId }: NetworkKey,
  after: TimestampMs,
): Promise<readonly TipMark[]> {
  const rows = await executor.all(marksAfter, { network: name, chainId, after })
  return rows.map(({ marked_at, tip }) => ({ at: marked_at, tip: BigInt(tip) }))
}

const forgetOld = statement<Of & { before: number }>((db, p) =>
  db
    .deleteFrom('tip_marks')
    .where('network', '=', p.network)
    .where('chain_id', '=', p.chainId)
    .where('marked_at', '<=', p.before),
)

const insertMark = insertionOnce('tip_marks', ['network', 'chain_id', 'marked_at'], ['tip'])

export function tipMarkChanges(executor: Executor): Pick<NetworkChanges, 'tipMarks' | 'recordTipMark'> {
  return {
    tipMarks: (network, after) => readTipMarks(executor, network, after),
    async recordTipMark({ name, chainId }, { at, tip }, before) {
      await executor.all(forgetOld, { network: name, chainId, before })
      await executor.all(insertMark, { network: name, chain_id: chainId, marked_at: at, tip: String(tip) })
    },
  }
}
