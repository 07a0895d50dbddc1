// The sentences of waits: why a transaction waits, with the figures and a remedy. The only place that words them.
import { escalationMultiple } from './fees.ts'
import { timeInWords } from './hold.ts'
import { pauseInWords } from './pause.ts'
import { ceilingMultiple } from './price-ceiling.ts'
import { atLeastInEther, inEther, inGwei } from './shown-amount.ts'
import { shownText } from './stored-text.ts'
import type { Wei } from './units.ts'
import type { FactsOf, Needed, Reason, ReasonCondition, Refusal, Wait } from './wait-facts.ts'

/** The sentence for a transaction that waits. */
export function sentenceOf(reason: Reason & Pick<Wait, 'behind'>, isCanceled: boolean): string {
  const begin = isCanceled && reason.behind === undefined ? 'canceled; ' : 'waits: '
  const text = shownText(wordsOf(reason.condition, reason.facts, begin))
  return reason.behind === undefined ? text : shownText(`waits behind transaction ${reason.behind}: ${text}`)
}

/** The sentence for a relayer without open transactions. */
export function sentenceOfNext(reason: Reason): string {
  return shownText(wordsOf(reason.condition, reason.facts, 'the next send would wait: '))
}

/** The sentence for a hold while a pause stops its release. Shown, and not stored. */
export function sentenceOfPausedHold({ rule, until }: FactsOf['on_hold'], pause: FactsOf['paused']): string {
  const end = until === undefined ? 'its release' : timeInWords(until)
  const [both, them] = pause.by === 'both' ? ['both are', 'both'] : ['it is', 'it']
  return shownText(
    `on hold until ${end} (${rule}); ${pauseInWords(pause)}, so a release is refused until ${both} unpaused: unpause ${them}, or cancel this for free`,
  )
}

// The facts of a reason belong to its condition, which the types of a union can't follow through a lookup.
function wordsOf<C extends ReasonCondition>(condition: C, facts: FactsOf[C], begin: string): string {
  return sentences[condition](facts, begin)
}

/** `begin`: the first words of most sentences. */
const sentences: { readonly [C in ReasonCondition]: (facts: FactsOf[C], begin: string) => string } = {
  on_hold: ({ rule, until }) =>
    rule === 'four_eyes'
      ? 'on hold until a second key releases its payload (four_eyes): release it with a key that did not set it, or cancel it for free'
      : until === undefined
        ? `on hold until its release (${rule}): release it, or cancel it for free`
        : `on hold until ${timeInWords(until)} (${rule}): wait, release it now, or cancel it for free`,
  paused: (facts, begin) =>
    `${begin}${pauseInWords(facts)}; ${facts.by === 'both' ? 'unpause both' : 'unpause it'}, or cancel this`,
  policy: ({ forbidden }, begin) =>
    `${begin}the replacement is forbidden: ${forbidden}; or replace it again, or cancel`,
  balance_below_minimum: ({ balance, minBalance }, begin) =>
    `${begin}the balance (${inEther(balance)}) is below min_balance (${inEther(minBalance)}): top it up by about ${atLeastInEther(minBalance - balance)}`,
  balance_short: balanceShort,
  already_ordered: alreadyOrdered,
  outcome_unknown: (_, begin) =>
    `${begin}no answer shows whether the sequencer has ordered it: one no-op is broadcast until something with the nonce is mined, and whichever came first is mined; no price changes that`,
  cancel_unfunded: ({ cost, reserve }, begin) =>
    `${begin}the balance does not cover the no-op, which may cost ${inEther(cost)}${withinReserve(reserve)}: top it up`,
  gas_price_cap: (facts, begin) => {
    if (facts.of === 'attempt') return atCap('gas_price_cap', facts)
    if (facts.of === 'replacement') return outbid(facts, begin)
    const price = facts.isNamed ? `its own fee (${inGwei(facts.price)})` : `the base fee (up to ${inGwei(facts.price)})`
    return `${begin}${price} is above ${capped('gas_price_cap', facts.cap)}: raise the cap, wait, or cancel it`
  },
  cancel_gas_price_cap: (facts, begin) =>
    facts.of === 'attempt'
      ? atCap('cancel_gas_price_cap', facts)
      : `${begin}the no-op would need more (up to ${inGwei(facts.perGas)} per gas) than ${capped('cancel_gas_price_cap', facts.cap)}, and is tried again each block: raise the cap, if it must win`,
  cost_bound: ({ costMax, cost }, begin) =>
    `${begin}the no-op would cost up to ${inEther(cost)}, above its bound of ${inEther(costMax)} (its share of max_cost), and is tried again each block: the original may still be mined, and later nonces wait behind it; cancel it once more (DELETE) to lift the bound, if it must not`,
  own_price: (facts, begin) => {
    if (facts.of === 'replacement') return outbid(facts, begin)
    const price = `${inGwei(facts.perGas)} per gas${facts.tip === undefined ? '' : `, ${inGwei(facts.tip)} of it as tip`}`
    return `waits at its own price (${price}), which is too low to be mined now: wait, replace it at a higher one, or cancel it`
  },
  price_ceiling: ({ perGas, cap }, begin) =>
    `${begin}another attempt needs ${inGwei(perGas)} per gas, above the ceiling of ${ceilingMultiple} times what recent blocks paid: the last is broadcast again, and a higher price follows once the market's rises; ${cap} replaces the ceiling`,
  attempts_exhausted: attemptsExhausted,
  nonce_blocked: (facts, begin) =>
    facts.by === 'transaction'
      ? `${begin}nonce ${facts.nonce} comes first, and a transaction that is not ours waits for it in the pool: if it is not mined by block ${facts.until} and ${timeInWords(facts.untilAt)}, the relayer uses the nonce itself; sign for this account nowhere else`
      : `${begin}the account's nonce is ${facts.nonce}, and a pool counts up to ${facts.pendingNonce}: so many transactions that are not ours come first, or the count is false; sign for this account nowhere else`,
  pool_unseen: ({ nonce, from, untilAt }, begin) =>
    `${begin}nonce ${nonce} comes first and is unused, and no node shows its pool, where a foreign transaction may wait for it: from block ${from} and ${timeInWords(untilAt)} on the relayer uses it; an endpoint that counts its pool (eth_getTransactionCount of "pending") would show it sooner`,
  gap_unconfirmed: gapUnconfirmed,
  gap_fillers_limited: ({ nonce, filled, relayerId }, begin) =>
    `${begin}nonce ${nonce} comes first and is unused, no transaction of this relayer ever held it, and the relayer has filled ${filled} such nonces within an hour: did a node name a false count? Compare the account's nonce with an explorer, and permit more (POST /api/v1/relayers/${relayerId}/gap-fillers), or wait`,
  nonce_unproven: ({ nonce }, begin) =>
    `${begin}nonce ${nonce} is spent, and no node shows yet by which transaction: if this lasts, add an endpoint that keeps the chain's history`,
  history_unknown: ({ from, to }, begin) => {
    const nonces = from === to ? `nonce ${from} was used` : `nonces from ${from} to ${to} were used`
    return `${begin}${nonces} by transactions that this database does not hold, and once those are final, the service checks whether this is one of them: was it restored from an older copy?`
  },
  cancellation_unclear: ({ noOp, nonce }, begin) =>
    `${begin}the no-op ${noOp} (nonce ${nonce}) canceled this or another transaction, and this database does not hold which: was it restored from an older copy? It is not sent as it is: cancel it, or replace it to have it sent`,
  no_progress: ({ nonce, attempt }, begin) =>
    `${begin}many blocks could have held nonce ${nonce}, and none did: does an explorer, or another provider's node, show ${attempt} in its pool? If not, add an endpoint of another provider; else replace or cancel it`,
  node_behind: ({ nonce, settledBelow }, begin) =>
    `${begin}the node reports nonce ${nonce}, but every nonce below ${settledBelow} is settled; it is behind, or its chain was reset and needs a DATABASE_URL of its own`,
  node_refuses: nodeRefuses,
  refused_by_all: ({ nonce, returns, words }) => {
    const end = returns ? 'once that is final, it waits for another nonce' : 'once that is confirmed, it has failed'
    const why =
      words === undefined ? 'nodes refuse it, or its gas_limit is too low by now' : 'every node that answers refuses it'
    return `waits for a no-op with its nonce ${nonce}, as ${why}: ${end}${words === undefined ? '' : `; ${words}`}`
  },
  head_stalled: ({ block }, begin) =>
    `${begin}no block has followed block ${block} for longer than the chain's pace allows: compare it with an explorer; if the chain goes on, replace the endpoints`,
  node_unreachable: ({ of, words }, begin) => {
    if (of === 'network') return `${begin}no node of the network answers: ${words}`
    return of === 'noOp'
      ? `${begin}the no-op could not reach a node: ${words}`
      : `${begin}no node could be reached: ${words}`
  },
  signer_unavailable: ({ signerId, code, isPermanent, activity }, begin) => {
    const fault = `signer "${signerId}" does not sign ${activity === undefined ? '' : 'this '}now (${code})`
    if (activity !== undefined) {
      return isPermanent
        ? `${begin}${fault}, until people approve activity ${activity} there: then the service goes on`
        : `${begin}${fault}: activity ${activity} has not ended yet, and is looked at again`
    }
    return `${begin}${fault}, ${isPermanent ? 'until an operator acts: correct it, and the service goes on' : 'and is tried again'}`
  },
  facts_missing: ({ fact }, begin) => `${begin}no node reports ${missingFacts[fact]}`,
  gas_unknown: gasUnknown,
  would_revert: ({ of, words }, begin) =>
    of === 'send'
      ? `waits for the transactions in flight: it would revert now: ${words}`
      : `${begin}the replacement would revert: ${words}; replace it again, or cancel`,
  account_in_use: (_, begin) =>
    `${begin}another service of the same database advances a relayer with the same key on the same chain: stop one of the two services, or give one of them another key`,
  finality_stalled: ({ block, minutes, tag }, begin) =>
    `${begin}its block ${block} is confirmed, and for more than ${minutes} minutes no endpoint has shown that it is ${tag}: wait, or add an endpoint that reports the block tag "${tag}"`,
  witnesses_contradict: ({ spender, block, shownBy, deniedBy }, begin) =>
    `${begin}by ${endpointsOf(shownBy)}, ${spender} in block ${block} took its nonce, and ${endpointsOf(deniedBy)} denied that: one of them is wrong, so nothing is final until two endpoints of different providers agree; compare the block with an explorer, and remove the endpoint that is wrong, or add another`,
  witness_silent: ({ spender, block, mode }, begin) =>
    `${begin}one endpoint shows ${spender} in block ${block}, and no endpoint of another provider has answered about it: ${mode === 'require' ? 'second_witness is "require", so it waits for one' : 'after ten minutes of silence one suffices'}; check the other endpoints, or add one`,
}

function endpointsOf(indexes: readonly number[]): string {
  const all = indexes.map((index) => `endpoint ${index}`)
  return all.length === 0 ? 'no endpoint' : all.join(' and ')
}

const missingFacts = {
  price: 'the price of gas',
  balance: 'the balance',
  laggedBalance: 'the balance of some blocks ago',
  l1Fee: 'the fee for data on L1',
}

function balanceShort(facts: FactsOf['balance_short'], begin: string): string {
  switch (facts.of) {
    case 'send':
      return `${begin}the balance (${inEther(facts.balance)}) does not cover ${costOfSend(facts)}: top it up`
    case 'passed':
      return `${begin}the balance does not cover ${costOfSend(facts)}, and later transactions pass it (skip_unfunded): top it up`
    case 'late':
      return `${begin}the balance of ${facts.lagBlocks} blocks ago (${inEther(facts.balance)}) does not cover ${costOfSend(facts)}, and a payment to the account counts after ${facts.lagBlocks} blocks: wait`
    case 'emptying':
      return `${begin}${belowReserve(facts)}, so it goes alone: once no other transaction of the account is in flight, or was mined in the last ${facts.lagBlocks} blocks; or top it up, for this one by ${atLeastInEther(facts.short)} at most`
    case 'delegated':
      return `${begin}${belowReserve(facts)}, which an account that delegates (EIP-7702) has to keep: top it up, for this one by ${atLeastInEther(facts.short)} at most, end the delegation, or cancel it`
    case 'gas':
      return `${begin}its gas beside that of the transactions in flight would exceed the network's reserve_balance (${inEther(facts.reserve)}), or the balance of ${facts.lagBlocks} blocks ago: it goes once these are mined and ${facts.lagBlocks} blocks have followed`
    case 'higherPrice':
      return `${begin}a higher price is needed, and the balance does not cover it beside the transactions in flight and cancel_reserve; it may cost ${inEther(facts.cost)}${withinReserve(facts.reserve)}: top it up, wait, or cancel it`
    case 'attempt':
      return `${begin}a node says that the balance does not cover it, which may cost ${inEther(facts.cost)}: top it up`
  }
}

function belowReserve({ value, reserve }: { readonly value: bigint; readonly reserve: bigint }): string {
  return `its value (${inEther(value)}) leaves less than the network's reserve_balance (${inEther(reserve)})`
}

function withinReserve(reserve: bigint | undefined): string {
  return reserve === undefined
    ? ''
    : ` (the gas of all in flight has to fit in the network's reserve_balance, ${inEther(reserve)}, and in the balance of some blocks ago)`
}

function costOfSend({ value, paysL1, gasBetween }: Extract<FactsOf['balance_short'], { paysL1: boolean }>): string {
  const onL1 = paysL1 ? ', its fee for data on L1' : ''
  const disputed = gasBetween
    ? ` (${gasBetween.higher} by one endpoint's estimate, ${gasBetween.lower} by another's)`
    : ''
  return `its value (${inEther(value)})${onL1} and gas${disputed} beside the transactions in flight and cancel_reserve`
}

function alreadyOrdered(facts: FactsOf['already_ordered'], begin: string): string {
  if (facts.of === 'replacement') {
    return `${begin}the sequencer ordered the earlier payload or calls its nonce spent, and nothing replaces a transaction there: the block that shows which transaction used the nonce ends the wait`
  }
  return facts.by === 'receipt'
    ? `${begin}the sequencer ordered it before, and nothing replaces a transaction there: it waits for its block, which ends the cancellation as lost`
    : `${begin}the sequencer says that its nonce is spent, and nothing else can take it: it waits for the block that shows which transaction used it`
}

function atCap(name: string, { cap, offer, nonce, since }: Extract<FactsOf['gas_price_cap'], { of: 'attempt' }>) {
  // The offer is no price: of an offer by EIP-1559, the block takes its base fee and the tip.
  const room = offer?.hasRoom ? ', with room for a rising base fee' : ''
  const price = offer ? `without the cap the next attempt would offer up to ${inGwei(offer.perGas)}${room}; ` : ''
  return `waits at ${capped(name, cap)}: it needs a higher price to be mined sooner; ${price}it holds nonce ${nonce} since block ${since}: raise the cap, wait, or cancel it`
}

function capped(name: string, cap: Wei | undefined): string {
  return cap === undefined ? name : `${name} (${inGwei(cap)})`
}

function outbid({ over, needed }: Extract<FactsOf['gas_price_cap'], { of: 'replacement' }>, begin: string): string {
  return `${begin}over ${over} it needs ${priceOf(needed)}, which the replacement's fee or gas_price_cap forbids`
}

function priceOf(needed: Needed | undefined): string {
  return needed ? `${inGwei(needed.perGas)} per gas, ${inGwei(needed.tip)} of it as tip` : 'more'
}

function attemptsExhausted({ of, until, nonce, attempts }: FactsOf['attempts_exhausted'], begin: string): string {
  const market = `a higher price would be beyond ${escalationMultiple} times the market's price: the last is broadcast again, and a higher price follows once the market's rises`
  if (of === 'noOp') {
    return until === 'market'
      ? `${begin}no no-op for nonce ${nonce} was mined, and ${market}`
      : `${begin}none of ${attempts} no-ops for nonce ${nonce} was mined: they are broadcast again, and another is signed once the price doubles`
  }
  return until === 'market'
    ? `${begin}no attempt for nonce ${nonce} was mined, and ${market}: wait, or cancel it`
    : `${begin}none of the ${attempts} attempts for nonce ${nonce} was mined: they are broadcast again, and another is signed once the price doubles: wait, or cancel it`
}

function nodeRefuses(facts: FactsOf['node_refuses'], begin: string): string {
  switch (facts.of) {
    case 'payload':
      return `${begin}${refusalOfPayload(facts.refusal)}`
    case 'noOp':
      return `${begin}${refusalOfNoOp(facts.refusal)}`
    case 'gapFiller':
      return `${begin}the node refuses the no-op that fills nonce ${facts.nonce}, and it is broadcast again at growing intervals: ${facts.words}`
    case 'behindGapFiller':
      return `${begin}nonce ${facts.nonce} comes first, and the node refuses the no-op that would fill it: ${facts.words}; the no-op is tried again`
  }
}

function refusalOfPayload({ kind, words }: Refusal): string {
  switch (kind) {
    case 'error':
      return `a node answers with an unknown error, so it is broadcast again: ${words}`
    case 'invalid':
      return `the node calls it invalid, so it is broadcast again, and a no-op takes its nonce if that lasts: ${words}`
    case 'forNow':
      return `the node refuses it for now, and it is broadcast again: ${words}`
  }
}

function refusalOfNoOp({ kind, words }: Refusal): string {
  switch (kind) {
    case 'error':
      return `a node answers the no-op with an unknown error, so it is broadcast again: ${words}`
    case 'invalid':
      return `the node refused the no-op, and it is broadcast again at growing intervals: ${words}`
    case 'forNow':
      return `the node refuses the no-op for now, and it is broadcast again: ${words}`
  }
}

function gasUnknown(facts: FactsOf['gas_unknown'], begin: string): string {
  switch (facts.of) {
    case 'send':
      return `${begin}the node could not estimate its gas${inWords(facts.words)}; cancel it and send it with a gas_limit, if this lasts`
    case 'replacement':
      return `${begin}the node could not estimate the gas of the replacement${inWords(facts.words)}; name a gas_limit, if this lasts`
    case 'differ':
      return `${begin}one endpoint estimates its gas at ${facts.lower}, another at ${facts.higher}, and this chain charges for the limit; cancel it and send it with a gas_limit, if this lasts, or add an endpoint of a third provider`
    case 'noOp':
      return `${begin}no node estimates the gas of the no-op, which this chain does not state: the service tries again with each block`
    case 'gapFiller':
      return `${begin}nonce ${facts.nonce} comes first and is unused, and no node estimates the gas of the no-op that would fill it: the service tries again with each block`
  }
}

function inWords(words: string | undefined): string {
  return words === undefined ? '' : ` (${words})`
}

function gapUnconfirmed(facts: FactsOf['gap_unconfirmed'], begin: string): string {
  switch (facts.of) {
    case 'gap':
      return `${begin}nonce ${facts.nonce} comes first and is unused, and no second count of the account confirms that: once another endpoint does, or after three counts of the only one, the relayer fills it`
    case 'reach':
      return `${begin}a node counts so many transactions that nonce ${facts.nonce} would come next, and the highest nonce on record lies below ${facts.recordedBelow}: another endpoint has to confirm the count. Compare the account's nonce with an explorer, and permit it if it is right (POST /api/v1/relayers/${facts.relayerId}/gap-fillers); otherwise replace the endpoint`
    case 'count':
      return `${begin}a node counts so many transactions that nonce ${facts.nonce} would come next, and only those below nonce ${facts.explainedBelow} are explained: the count has to be confirmed by another endpoint, or by the only one in three readings over 15 seconds`
    case 'limit':
      return `${begin}a node counts so many transactions that nonce ${facts.nonce} would come next, and no nonce from ${facts.limit} on is used: the count is false; replace the endpoint`
  }
}
