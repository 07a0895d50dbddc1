// Decodes calls of ERC-20, ERC-721, ERC-1155 and Multicall3. A call that does not fit exactly is not decoded.

export interface DecodedCall {
  /** The function's name, such as `transfer`. */
  readonly name: string
  readonly standard: string
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
  /** The calls within a Multicall3. */
  readonly calls?: readonly InnerCall[]
}

export interface InnerCall {
  readonly to: string
  readonly data: string
  readonly value?: string
}

type Kind = 'address' | 'uint' | 'bool' | 'uints' | 'bytes' | 'calls' | 'calls3' | 'calls3Value'

interface Known {
  readonly signature: string
  readonly standard: string
  readonly parameters: readonly (readonly [name: string, kind: Kind])[]
}

const from = ['from', 'address'] as const
const to = ['to', 'address'] as const
const amount = ['amount', 'uint'] as const
const id = ['id', 'uint'] as const
const data = ['data', 'bytes'] as const

/** The calls by selector. ERC-20 and ERC-721 share two of them: only the contract decides which it is. */
export const knownCalls: Readonly<Record<string, Known>> = {
  a9059cbb: { signature: 'transfer(address,uint256)', standard: 'ERC-20', parameters: [to, amount] },
  '095ea7b3': {
    signature: 'approve(address,uint256)',
    standard: 'ERC-20 or ERC-721',
    parameters: [
      ['spender', 'address'],
      ['amount or id', 'uint'],
    ],
  },
  '23b872dd': {
    signature: 'transferFrom(address,address,uint256)',
    standard: 'ERC-20 or ERC-721',
    parameters: [from, to, ['amount or id', 'uint']],
  },
  '42842e0e': {
    signature: 'safeTransferFrom(address,address,uint256)',
    standard: 'ERC-721',
    parameters: [from, to, id],
  },
  b88d4fde: {
    signature: 'safeTransferFrom(address,address,uint256,bytes)',
    standard: 'ERC-721',
    parameters: [from, to, id, data],
  },
  a22cb465: {
    signature: 'setApprovalForAll(address,bool)',
    standard: 'ERC-721 or ERC-1155',
    parameters: [
      ['operator', 'address'],
      ['approved', 'bool'],
    ],
  },
  f242432a: {
    signature: 'safeTransferFrom(address,address,uint256,uint256,bytes)',
    standard: 'ERC-1155',
    parameters: [from, to, id, amount, data],
  },
  '2eb2c2d6': {
    signature: 'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
    standard: 'ERC-1155',
    parameters: [from, to, ['ids', 'uints'], ['amounts', 'uints'], data],
  },
  '252dba42': { signature: 'aggregate((address,bytes)[])', standard: 'Multicall3', parameters: [['calls', 'calls']] },
  bce38bd7: {
    signature: 'tryAggregate(bool,(address,bytes)[])',
    standard: 'Multicall3',
    parameters: [
      ['require success', 'bool'],
      ['calls', 'calls'],
    ],
  },
  c3077fa9: {
    signature: 'blockAndAggregate((address,bytes)[])',
    standard: 'Multicall3',
    parameters: [['calls', 'calls']],
  },
  '399542e9': {
    signature: 'tryBlockAndAggregate(bool,(address,bytes)[])',
    standard: 'Multicall3',
    parameters: [
      ['require success', 'bool'],
      ['calls', 'calls'],
    ],
  },
  '82ad56cb': {
    signature: 'aggregate3((address,bool,bytes)[])',
    standard: 'Multicall3',
    parameters: [['calls', 'calls3']],
  },
  '174dea71': {
    signature: 'aggregate3Value((address,bool,uint256,bytes)[])',
    standard: 'Multicall3',
    parameters: [['calls', 'calls3Value']],
  },
}

/** Decodes a call; undefined for an unknown selector, and for data that its signature does not explain. */
export function decodeCall(input: string): DecodedCall | undefined {
  const known = knownCalls[input.slice(2, 10).toLowerCase()]
  if (!known) return undefined
  try {
    return decodeAs(known, input.slice(10))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function decodeAs({ signature, standard, parameters }: Known, body: string): DecodedCall {
  const values: { name: string; value: string }[] = []
  let calls: readonly InnerCall[] | undefined
  for (const [index, [name, kind]] of parameters.entries()) {
    if (kind === 'calls' || kind === 'calls3' || kind === 'calls3Value')
      calls = callsAt(body, place(body, index, 0), kind)
    else values.push({ name, value: valueAt(body, index, kind) })
  }
  return { name: signature.slice(0, signature.indexOf('(')), standard, parameters: values, ...(calls && { calls }) }
}

function valueAt(body: string, index: number, kind: Kind): string {
  if (kind === 'address') return addressAt(body, index)
  if (kind === 'bool') return number(body, index) === 0n ? 'no' : 'yes'
  if (kind === 'uints') return listAt(body, place(body, index, 0), (at) => String(number(body, at))).join(', ')
  if (kind === 'bytes') return bytesAt(body, place(body, index, 0))
  return String(number(body, index))
}

const callWords = { calls: 2, calls3: 3, calls3Value: 4 } as const

function callsAt(body: string, at: number, kind: keyof typeof callWords): readonly InnerCall[] {
  return listAt(body, at, (index, base) => {
    const start = place(body, index, base)
    const bytes = place(body, start + callWords[kind] - 1, start)
    return {
      to: addressAt(body, start),
      data: bytesAt(body, bytes),
      ...(kind === 'calls3Value' && { value: String(number(body, start + 2)) }),
    }
  })
}

/** Positions are counted in words of 32 bytes. `base` is where the list's own offsets begin. */
function listAt<T>(body: string, at: number, item: (index: number, base: number) => T): T[] {
  const count = Number(number(body, at))
  if (count > body.length / 64) throw new RangeError('a list longer than the data')
  return Array.from({ length: count }, (_, index) => item(at + 1 + index, at + 1))
}

function bytesAt(body: string, at: number): string {
  const length = Number(number(body, at)) * 2
  const start = (at + 1) * 64
  if (start + length > body.length) throw new RangeError('bytes beyond the data')
  return `0x${body.slice(start, start + length)}`
}

function addressAt(body: string, index: number): string {
  const text = word(body, index)
  if (!text.startsWith('0'.repeat(24))) throw new RangeError('no address')
  return `0x${text.slice(24)}`
}

/** An offset in bytes, as a word of the body. */
function place(body: string, index: number, base: number): number {
  const offset = number(body, index)
  if (offset % 32n !== 0n || offset > BigInt(body.length)) throw new RangeError('an offset beyond the data')
  return base + Number(offset / 32n)
}

function number(body: string, index: number): bigint {
  return BigInt(`0x${word(body, index)}`)
}

function word(body: string, index: number): string {
  const text = body.slice(index * 64, (index + 1) * 64)
  if (!/^[\da-f]{64}$/i.test(text)) throw new RangeError('the data ends early')
  return text
}
