// The network's price now, beside the cap that it exceeds, and where the cap is changed.
import type { CapName, ShownPrice } from '../state/caps.ts'
import { shownNow } from '../state/clock.ts'
import { grouped, gwei } from '../state/format.ts'
import { Age } from './pieces.tsx'

/** A younger reading is as good as now. */
const freshMs = 60_000

function PriceNow({ price }: { price: ShownPrice }) {
  return (
    <>
      {gwei(BigInt(price.per_gas))} gwei for a unit of gas (base fee and tip, <ReadAt price={price} />)
    </>
  )
}

/** Without transactions and without readers, a service reads no price. */
export function ReadAt({ price }: { price: ShownPrice }) {
  const isOld = shownNow.value - Date.parse(price.read_at) > freshMs
  return (
    <>
      at block {grouped(price.block_number)}
      {isOld && (
        <>
          , read <Age at={price.read_at} /> ago
        </>
      )}
    </>
  )
}

/** For a wait at a cap: the price to compare it with, and the request that raises it. */
export function CapHelp({ relayer, name, price }: { relayer: string; name: CapName; price: ShownPrice | undefined }) {
  return (
    <>
      {price && (
        <p>
          The network’s price now: <PriceNow price={price} />.
        </p>
      )}
      <HowToRaise relayer={relayer} name={name} />
    </>
  )
}

/** Nothing waits at the cap now. The next send would. */
export function CapBelow({ relayer, cap, price }: { relayer: string; cap: bigint; price: ShownPrice }) {
  return (
    <div class="notice warn stacked">
      <p>
        <strong>The cap is below the network’s price.</strong> <code>gas_price_cap</code> is {gwei(cap)} gwei. The
        network’s price now: <PriceNow price={price} />. The next transaction may wait at the cap.
      </p>
      <HowToRaise relayer={relayer} name="gas_price_cap" />
    </div>
  )
}

function HowToRaise({ relayer, name }: { relayer: string; name: CapName }) {
  return (
    <p>
      To raise the cap, change the policy <code>{name}</code> with{' '}
      <code>PATCH /api/v1/relayers/{encodeURIComponent(relayer)}</code> and a key with the scope <code>admin</code>. It
      also works for a relayer of the configuration file: the change then overrides the file.
    </p>
  )
}
