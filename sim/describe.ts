// What a failing run prints beside its history: its options, and the nonces and pools at the end.
import { accountAt } from './chain/blocks.ts'
import { inWords } from './scenario/policies.ts'
import type { World } from './world.ts'

export function describe({ scenario }: World): string {
  const { kind, finality, ...rest } = scenario
  const { replicas, profiles, relayers, policies, reorgMax, confirmations, blocktimeMs, ending, gaps, fees } = rest
  return [
    `nodes ${profiles.map(({ client }) => client).join(', ')}`,
    `pending counts by ${gaps.pendingCounts}, ${gaps.tightGapFillers} of 16 gap fillers too tight`,
    `${relayers} relayers, ${inWords(policies)}`,
    `reorgs to ${reorgMax}, ${confirmations} confirmations${finality ? `, final by ${finality.rule}; tags ${finality.lags.safe} and ${finality.lags.finalized} behind, answered with ${finality.answers}` : ''}`,
    `a block each ${blocktimeMs} ms, configured as ${scenario.configuredBlocktimeMs}`,
    `ending ${ending}`,
    ...(rest.signerChanges === undefined ? [] : ['keys in a service']),
    ...(rest.custody ? [`it has ${rest.custody.kind}`] : []),
    ...(rest.presign ? [`${rest.presign.levels} no-ops are pre-signed for each nonce`] : []),
    ...(kind.isFcfs ? ['first come, first served'] : kind.hasSequencer ? ['one pool'] : []),
    ...(kind.hasL1Gas ? ['gas with a part for L1'] : []),
    ...(kind.hasL1Fee ? ['a fee for L1 beside gas'] : []),
    ...(fees.isFree ? ['gas is free'] : []),
    ...(rest.gasFork ? ['a fork of gas rules'] : []),
    ...(rest.sweeps ? ['accounts are swept'] : []),
    ...(rest.costBounds ? ['cancellations have bounds of cost'] : []),
    ...(rest.externalIds ? [`sends have one of ${rest.externalIds} external ids`] : []),
    ...(rest.fourEyes ? ['two keys stand behind each payload'] : []),
    ...(rest.holds ? ['some sends are on hold'] : []),
    ...(rest.bulkObjects ? ['bulk cancellations have filters'] : []),
    ...(rest.bulkTerms ? ['some of them have a limit of cost, or pause'] : []),
    ...(rest.bulkPreviews ? ['clients look before they cancel'] : []),
    ...(rest.networkPauses ? ['the network is paused now and then'] : []),
    ...(rest.estimates ? ['some calls fail in unknown words, and at times no node estimates any'] : []),
    ...(rest.liar
      ? [`n${rest.liar.node} lies: ${rest.liar.lies.map(({ kind, estimates = [] }) => [kind, ...estimates].join(' '))}`]
      : []),
    ...(rest.latenciesMs ? [`endpoints are ${rest.latenciesMs} ms away`] : []),
    ...(rest.surveys ? ['idle relayers are looked at'] : []),
    ...(rest.foreignLooks ? ['foreign uses of keys are looked for'] : []),
    ...(rest.reserve ? [`a reserve of ${rest.reserve.reserve} wei, at first ${fees.balance}`] : []),
    `traffic ${fees.traffic}; tips from ${fees.poolTipMin} in pools, from ${fees.builderTipMin} in blocks; in the end ${fees.finalBalance} wei`,
    ...(replicas ? [`${replicas.atFirst} replicas at first, at most ${replicas.most}`] : []),
  ].join('; ')
}

/** What the chain and the pools hold of each relayer. */
export function inventory({ addresses, blocks, nodes }: World): readonly string[] {
  return addresses.map((address, index) => {
    const { nonce } = accountAt(blocks.canonical(), address)
    const pools = nodes.map(({ profile, pool }) => {
      const held = [...(pool.bySender.get(address)?.values() ?? [])].sort((one, other) => one.nonce - other.nonce)
      const shown = held.map(({ nonce: at, hash, cap, tip }) => `${at}=${hash.slice(2, 8)} (${cap}, ${tip})`)
      return `${profile.client} [${shown.join(', ')}]`
    })
    return `r${index} is at nonce ${nonce}; pools: ${pools.join('; ')}`
  })
}
