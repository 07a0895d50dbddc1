// Refuses a Node that runs no TypeScript in a sentence: such a one could not even read a check of the sources.
if (!process.features.typescript) {
  const found = process.versions.node
  process.stderr.write(
    `a clone of rescind needs Node 22.18 or later, and this is ${found}; run: npm ci, which brings one\n`,
  )
  process.exit(1)
}
