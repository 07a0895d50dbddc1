// Keeps the run of a test file short: on a mutant only the tests run that it expects to fail, and it ends with the first that does;
// on the engine as it is only those tests run that have failed on a mutant. All of it in one process.
import { beforeEach, type RunnerTestFile, type RunnerTestSuite, type TestContext } from 'vitest'

type Task = TestContext['task']

/** By test file: what failed so far. */
const failed = new Map<string, Set<string>>()

/** Called before the tests of the file are collected. */
export function untilNoticed(test: string, engine: 'as it is' | { readonly expects: string }): void {
  const names = failed.get(test) ?? new Set<string>()
  failed.set(test, names)
  beforeEach(({ task, skip, onTestFailed }) => {
    const isLeftOut =
      engine === 'as it is' ? !names.has(nameOf(task)) : hasFailure(task.file) || !nameOf(task).includes(engine.expects)
    if (isLeftOut) skip()
    onTestFailed(() => {
      names.add(nameOf(task))
    })
  })
}

function hasFailure(suite: RunnerTestFile | RunnerTestSuite): boolean {
  return suite.tasks.some((task) => task.result?.state === 'fail' || ('tasks' in task && hasFailure(task)))
}

function nameOf(task: Task): string {
  const names = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name)
  return names.join(' > ')
}
