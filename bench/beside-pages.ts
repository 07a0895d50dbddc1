// 300 pages of 1,000 rows under way, and a DELETE of another relayer that arrives behind them.
import type { Service } from '../tooling/service.ts'
import type { Figure } from './figure.ts'
import { openConnection } from './keep-alive.ts'
import { processorSeconds } from './processor-time.ts'

const pages = 300

interface BesidePages {
  readonly service: Service
  readonly port: number
  readonly page: string
  readonly cancel: string
}

export async function measureBesidePages({ service, port, page, cancel }: BesidePages): Promise<Figure[]> {
  const readers = await Promise.all(Array.from({ length: pages }, () => openConnection(port)))
  const other = await openConnection(port)
  const begun = await processorSeconds(service.pid)
  const spentMs = async () => 1000 * ((await processorSeconds(service.pid)) - begun)
  let answered = 0
  const reading = readers.map((reader) =>
    reader.exchange(page).then(() => {
      answered += 1
    }),
  )
  await other.exchange(cancel)
  const [untilDelete, before] = [await spentMs(), answered]
  await Promise.all(reading)
  const whole = await spentMs()
  for (const each of [other, ...readers]) each.close()
  return [
    { name: '300 pages of 1,000 rows, processor time', value: whole, unit: 'ms' },
    { name: '  until a DELETE of another relayer is answered', value: untilDelete, unit: 'ms', aim: '200 or less' },
    { name: '  pages answered before it', value: before, unit: 'pages' },
  ]
}
