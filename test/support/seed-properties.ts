// With FUZZ_SEED, fast-check begins each property at this seed. Without, at another each time, which it prints with a failure.
const { FUZZ_SEED: given } = process.env

if (given !== undefined) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) })
}
