// The limit beside a confirmed transaction: a bare loop that signs, records and sends as many, in the same run (bare-relay.ts).
import { startBareProcess } from './bare-process.ts'
import type { RelayJob } from './bare-relay.ts'
import { processorSeconds } from './processor-time.ts'

/** Returns the processor time of the bare loop, in microseconds a transaction. */
export async function measureBareSends(job: RelayJob): Promise<number> {
  await using bare = await startBareProcess('./bare-relay.ts')
  await bare.message()
  const begun = await processorSeconds(bare.pid)
  bare.send(job)
  await bare.message()
  return (1e6 * ((await processorSeconds(bare.pid)) - begun)) / job.transactions
}
