// Explains why the first of the queue waits. The others wait for it.
import { pauseFacts } from '../../pause.ts'
import { isSweep } from '../../sweep.ts'
import type { Reason } from '../../wait-facts.ts'
import { type Decision, explain } from '../plan/decision.ts'
import type { Work } from '../plan/work.ts'

/** Explains the first of the queue only: the others wait for it. */
export function explainFirst({ queued: [first] }: Work, reason: Reason): Decision[] {
  return first ? explain(first, reason) : []
}

/** Explains that a pause holds the first of the queue. A sweep does not wait for the end of the pause. */
export function explainPaused(work: Work): Decision[] {
  const [first] = work.queued
  return first && isSweep(first) ? [] : explainFirst(work, { condition: 'paused', facts: pauseFacts(work.relayer) })
}
