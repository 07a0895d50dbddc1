// What can happen to an HTTP request between the service and a node.
/**
 * - `refused`: no connection; certain that nothing left. `lost`: it never arrives, and nobody can know.
 * - `unanswered`: it arrives, the answer does not. `late`: it arrives when the service has given up.
 * - `doubled`: it arrives twice. `limited`: HTTP 429. `limitedInside`: HTTP 200 around a JSON-RPC error 429.
 * - `unbatched`: batches are refused as a whole, and now and then done all the same. `partial`: some calls of a batch are
 *   answered, all are done.
 * - `garbage`: it is done, and answered with something else, such as the page of a firewall.
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
