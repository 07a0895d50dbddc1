// The part of the store port for the figures of each five minutes. A unit that changes a transaction adds its figures by itself.
import type { CallCount, FigureRange, FigureSums } from '../domain/figures.ts'
import type { RelayerId } from '../domain/ids.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface FigureReads {
  /** Of this relayer, or of all; by network, oldest first. A step in which nothing happened is absent. */
  figures(range: FigureRange, relayerId?: RelayerId): Promise<readonly FigureSums[]>
  /** The calls to this network's nodes, or to those of all. */
  nodeCalls(range: FigureRange, network?: string): Promise<readonly CallCount[]>
}

export interface FigureChanges {
  addNodeCalls(network: string, count: CallCount): Promise<void>
  /** Deletes the oldest figures from before this time, at most `rows` of each table. Returns how many of the table with more. */
  pruneFigures(before: TimestampMs, rows: number): Promise<number>
}
