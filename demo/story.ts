// The demo from beginning to end, and what each payment must come to.
import { cancelAllThroughACrash } from './acts/cancel-all-through-a-crash.ts'
import { cancelBeforeBroadcast, cancelInThePool, showWhoTookThePlace } from './acts/cancel-one.ts'
import { loseARace } from './acts/lose-a-race.ts'
import { actOne } from './acts/send-backlog.ts'
import { reportAccounts, reportVerdicts } from './report.ts'
import { type Payment, reached, type Stage, verdictOf } from './stage.ts'
import { audit, type Expectation, judge, type Verdict } from './verdicts.ts'

const payoutsMust: readonly Verdict[] = ['executed', 'won', 'executed', 'dropped', 'executed', 'lost', 'executed']
const treasuryMust: readonly Verdict[] = ['won', 'won', 'won', 'dropped', 'dropped', 'executed']

/** Resolves with whether every verdict is what it must be, by the chain's own account. */
export async function play(stage: Stage): Promise<boolean> {
  const payouts = await actOne(stage)
  const [, second, , fourth, fifth, sixth] = payouts
  if (!second || !fourth || !fifth || !sixth) throw new Error('act one sends seven payments')
  await cancelBeforeBroadcast(stage, fourth)
  await cancelInThePool(stage, second)
  await showWhoTookThePlace(stage, fourth, fifth)
  await loseARace(stage, sixth)
  const treasury = await cancelAllThroughACrash(stage)

  const expectations = [...expect(payouts, payoutsMust), ...expect(treasury, treasuryMust)]
  await stage.anvil.mine(2)
  for (const expectation of expectations) await untilFinal(stage, expectation)

  const rows = await judge(stage, expectations)
  reportVerdicts(rows)
  const accounts = [await audit(stage, stage.payouts, 6), await audit(stage, stage.treasury, 4)]
  reportAccounts(accounts)
  return [...rows, ...accounts].every(({ untruths }) => untruths.length === 0)
}

function expect(payments: readonly Payment[], verdicts: readonly Verdict[]): Expectation[] {
  return payments.flatMap((payment, index) => {
    const verdict = verdicts[index]
    return verdict === undefined ? [] : [{ payment, verdict }]
  })
}

/** Waits for an end, whichever it is: whether it is the right one is judged afterwards. */
async function untilFinal(stage: Stage, { payment, verdict }: Expectation): Promise<void> {
  if (verdict === 'executed') await reached(stage, payment, 'confirmed', 'failed', 'canceled')
  else await verdictOf(stage, payment, ({ final }) => final)
}
