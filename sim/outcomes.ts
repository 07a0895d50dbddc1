// The outcomes of an HTTP request between the service and a node, and their odds.
/**
 * - `refused`: no connection, so the service is certain that nothing left.
 * - `lost`: the request never arrives, and the service cannot notice.
 * - `unanswered`: the request arrives, and its answer is lost.
 * - `late`: the request arrives after the service has given up.
 * - `doubled`: the request arrives twice.
 * - `limited`: the answer is HTTP 429.
 * - `limitedInside`: the answer is HTTP 200 around a JSON-RPC error 429.
 * - `unbatched`: a batch is rejected as a whole, and sometimes executed nevertheless.
 * - `partial`: all calls of a batch are executed, and some are answered.
 * - `garbage`: the request is executed, and the answer is something else, such as a firewall's page.
 */
export const requestOutcomes = [
  'answered',
  'refused',
  'lost',
  'unanswered',
  'late',
  'doubled',
  'limited',
  'limitedInside',
  'unbatched',
  'partial',
  'garbage',
] as const
export type RequestOutcome = (typeof requestOutcomes)[number]

/** How likely each outcome is, as a weight. */
export type OutcomeOdds = Readonly<Record<RequestOutcome, number>>

export const allAnswered: OutcomeOdds = Object.fromEntries(
  requestOutcomes.map((outcome) => [outcome, outcome === 'answered' ? 1 : 0]),
) as unknown as OutcomeOdds

/** `badness` is the share of requests that fail: 0 for none, 1 for all. `faults` are weights among the failures. */
export function oddsOfFaults(faults: Readonly<Record<RequestOutcome, number>>, badness: number): OutcomeOdds {
  const sum = requestOutcomes.reduce((total, outcome) => total + faults[outcome], 0)
  const bad = sum === 0 ? 0 : badness
  return Object.fromEntries(
    requestOutcomes.map((outcome) => [
      outcome,
      outcome === 'answered' ? 1 - bad : sum === 0 ? 0 : (bad * faults[outcome]) / sum,
    ]),
  ) as unknown as OutcomeOdds
}
