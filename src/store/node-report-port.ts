// The part of the store port for what replicas see of their nodes.
import type { NodeReport } from '../domain/node-report.ts'
import type { TimestampMs } from '../domain/units.ts'

export interface NodeReportReads {
  /** One of each replica, by its id. */
  nodeReports(): Promise<readonly NodeReport[]>
}

export interface NodeReportChanges {
  /** Replaces the replica's last one. */
  recordNodes(report: NodeReport): Promise<void>
  removeNodes(replica: string): Promise<void>
  /** Deletes those that were written before this time: their replicas are gone. */
  pruneNodes(before: TimestampMs): Promise<void>
}
